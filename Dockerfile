FROM python:3.12-slim AS build
RUN pip install --no-cache-dir uv
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_PROJECT_ENVIRONMENT=/opt/memory
WORKDIR /src
# What is depended on changes less often than the program, so it has a layer of its own.
COPY pyproject.toml uv.lock ./
RUN uv sync --locked --no-dev --no-install-project
COPY README.md LICENSE NOTICE ./
COPY man man
COPY completions completions
COPY memory_cli memory_cli
RUN uv sync --locked --no-dev --no-editable

FROM python:3.12-slim
COPY --from=build /opt/memory /opt/memory
RUN useradd --uid 10001 --create-home memory && install -d -m 700 -o memory -g memory /data
ENV PATH=/opt/memory/bin:$PATH MEMORY_STORAGE_ROOT=/data
USER memory
WORKDIR /home/memory
VOLUME ["/data"]
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["memory"]
CMD ["serve"]
