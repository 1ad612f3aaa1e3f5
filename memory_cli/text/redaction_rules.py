"""The shapes of the keys, tokens and headers that redaction knows by their issuer's own marks."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from memory_cli.text.redaction_assignments import assignment_patterns, is_assigned_secret, value_span
from memory_cli.text.redaction_values import is_placeholder, is_wordy

Judge = Callable[[re.Match[str], str], bool]
Span = tuple[int, int]

# A token may follow a letter that ends an escape: `\nTOKEN` in JSON, `%3DTOKEN` in a URL.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
_GAP = r"""(?:[ \t\r\n"'`+,>|]|\\[nrt])"""
_BASE64 = r"[A-Za-z0-9+/]"
_URL64 = r"[A-Za-z0-9_-]"
_HEX = r"[0-9a-f]"
_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_PRIVATE = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"


def secret_span(match: re.Match[str]) -> Span:
    """Return where the part to remove lies in a match."""
    index: int | str = "secret" if "secret" in match.re.groupindex else 1 if match.re.groups else 0
    return match.span(index)


class Rule(NamedTuple):
    """What a secret looks like, and which literals announce it."""

    kind: str
    triggers: tuple[str, ...]
    pattern: str
    judge: Judge
    span: Callable[[re.Match[str]], Span] = secret_span
    is_token: bool = False


def _given(match: re.Match[str], secret: str) -> bool:
    return not is_placeholder(secret)


def _random(match: re.Match[str], secret: str) -> bool:
    return not is_placeholder(secret) and not is_wordy(secret)


def _mixed_case(match: re.Match[str], secret: str) -> bool:
    around = match.string[max(0, match.start() - 120) : match.start()].lower()
    named = any(word in around for word in ("aws", "secret", "akia", "asia"))
    mixed = all(re.search(kind, secret) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return named and mixed and not around.endswith("sha1-") and not is_placeholder(secret)


def _has_body(match: re.Match[str], secret: str) -> bool:
    body = re.sub(r"-----[^-\n]*-----", "", secret)
    return re.search(r"[A-Za-z0-9+/]{3}", body) is not None and not is_placeholder(body)


def _has_end(match: re.Match[str], secret: str) -> bool:
    return match["end"] is not None


def _not_a_digest(match: re.Match[str], secret: str) -> bool:
    # `docker://image:tag@sha256:…` has the form of a URL with a password.
    return not is_placeholder(secret) and not match.string.startswith(("sha256:", "sha512:"), match.end())


def _cookie(match: re.Match[str], secret: str) -> bool:
    values = [pair.partition("=")[2] for pair in secret.split(";")]
    return any(len(value) >= 8 and _random(match, value) for value in values)


def _structured() -> Iterator[Rule]:
    """Yield the rules of forms that are no single word: blocks, URLs, headers."""
    inside = r"[^-]*+(?:-(?!----)[^-]*+)*+"
    headers = rf"(?:{_GAP}*+(?:Proc-Type|DEK-Info|Version|Comment|Hash): ?[^\n\\]{{0,120}}+)*+"
    cut = (
        rf"{headers}(?:{_GAP}*+{_BASE64}{{16,}}+={{0,2}})++(?:{_GAP}++{_BASE64}++={{0,2}}(?={_GAP}*+(?:\Z|\.\.\.|…)))?+"
    )
    yield Rule(
        "private-key", ("private key",), rf"-----BEGIN {_PRIVATE}(?:{inside}-----END {_PRIVATE}|{cut})", _has_body
    )
    headless = (
        rf"(?:{_BASE64}{{16,}}+={{0,2}}{_GAP}*+)++(?:{_BASE64}++={{0,2}}{_GAP}*+)?+(?P<end>-----END {_PRIVATE})?+"
    )
    yield Rule("private-key", ("private key-----",), rf"(?<!{_BASE64})(?P<secret>{headless})", _has_end)
    putty = rf"Private-Lines: ?\d+(?P<secret>(?:{_GAP}++{_BASE64}{{4,}}+={{0,2}})++(?:\s++Private-MAC: ?{_HEX}++)?+)"
    yield Rule("private-key", ("private-lines:",), putty, _given)
    yield Rule("private-key", ("age-secret-key-",), r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{30,}+", _given)
    yield Rule("private-key", ("kty",), rf"""["']d\\?["']\s?:\s?\\?["']({_URL64}{{20,}}+)""", _random)
    jwt = rf"eyJ{_URL64}{{8,}}+\.{_URL64}{{8,}}+(?:\.{_URL64}*+){{0,3}}+"
    yield Rule("jwt", ("eyj",), rf"(?:(?<!{_URL64})|(?<=\\[nrt])){jwt}", _given)
    yield Rule("url-password", ("://",), r"""://[^\s:/"'<>`]{0,256}+:([^\s/"'<>`]{1,256})@""", _not_a_digest)
    slashed = r"""(?<!http)(?<!https)://[^\s:/@"'<>`]{1,256}+:(?!\d{1,5}/|[^\s/"'<>`]{1,256}@)([^\s"'<>`]{1,256}?)@"""
    yield Rule("url-password", ("://",), slashed, _not_a_digest)
    yield Rule("url-password", ("://",), rf"://({_URL64}{{20,256}}+)(?=@)", _random)
    scheme = r"(?:(?:bearer|basic|token|digest|apikey|bot)\s{1,3})"
    header = rf"""(?i:authorization\\?["']?\s{{0,3}}[:=,]\s{{0,3}}\\?["'`]?{scheme}?+)([\w.~+/=:-]{{8,}}+)"""
    yield Rule("authorization", ("authorization",), header, _random)
    yield Rule("authorization", ("bearer",), r"(?i:bearer)\s{1,3}([\w.~+/=-]{16,}+)", _random)
    yield Rule("authorization", ("auth",), r"""(?:_auth\s?=\s?"?|"auth"\s?:\s?")([A-Za-z0-9+/=]{8,}+)""", _random)
    pair = r"[\w.%-]{1,64}+"
    cookie = rf"""({pair}=[^\s;"']++(?:;[ ]?{pair}(?:=[^\s;"']*+)?+)*+)"""
    yield Rule("cookie", ("cookie",), rf"""(?i:cookie)\\?["']?\s?:\s?\\?["']?{cookie}""", _cookie)
    netrc = r"\b(?:machine\s{1,4}\S{1,200}|default)\s{1,4}login\s{1,4}\S{1,200}\s{1,4}password\s{1,4}(\S+)"
    yield Rule("password", ("login",), netrc, _given)
    login = r"""\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]{0,2}["']?[^\s:"'/]{1,100}:([^\s"']{2,200})"""
    yield Rule("password", ("curl",), login, _given)
    yield Rule("password", ("sshpass",), r"""\bsshpass\s+-p\s?["']?([^\s"']{2,200})""", _given)
    database = r"""\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p["']?([^\s"']{4,200})"""
    yield Rule("password", ("mysql", "mariadb"), database, _given)


def _issued() -> Iterator[Rule]:
    """Yield the rules of tokens that carry their issuer's mark."""
    for line in _ISSUERS.strip().splitlines():
        kind, triggers, pattern = line.split(None, 2)
        for short, full in (("URL64", _URL64), ("BASE64", _BASE64), ("HEX", _HEX), ("START", _START), ("UUID", _UUID)):
            pattern = pattern.replace(short, full)
        yield Rule(kind, tuple(triggers.lower().split("|")), pattern, _random, is_token=True)


_ISSUERS = r"""
aws-access-key        AKIA|ASIA|ABIA|ACCA   START(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])
github-token          ghp_|gho_|ghu_|ghs_|ghr_   gh[pousr]_[A-Za-z0-9]{16,}+
github-token          github_pat_           github_pat_[A-Za-z0-9_]{20,}+
gitlab-token          glpat-|gldt-|glrt-|glcbt-|glptt-|glft-   gl(?:pat|dt|rt|cbt|ptt|ft)-[A-Za-z0-9_.-]{15,}+
google-api-key        AIza                  AIzaURL64{30,}+
google-oauth          ya29.|GOCSPX-         START(?:ya29\.|GOCSPX-)URL64{20,}+
google-oauth          1//0                  START1//0URL64{35,}+
slack-token           xox|xapp-             START(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}+
slack-webhook         hooks.slack.com       hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]{16,}+)
teams-webhook         webhook.office.com    webhook\.office\.com/webhookb2/([A-Za-z0-9/@_-]{30,}+)
discord-webhook       /api/webhooks/        discord(?:app)?\.com/api/webhooks/\d+/(URL64{20,}+)
discord-token         .                     START[MNO]URL64{22,27}+\.URL64{6}\.URL64{27,}+
stripe-key            sk_live_|sk_test_|rk_live_|rk_test_   START[sr]k_(?:live|test)_[A-Za-z0-9]{10,}+
stripe-key            whsec_                START(whsec_[A-Za-z0-9+/=]{20,}+)
anthropic-key         sk-ant-               sk-ant-URL64{16,}+
openrouter-key        sk-or-                STARTsk-or-URL64{20,}+
openai-key            sk-                   STARTsk-URL64{16,}+
openai-key            sess-                 STARTsess-[A-Za-z0-9]{30,}+
huggingface-token     hf_|api_org_          START(?:hf|api_org)_[A-Za-z0-9]{20,}+
groq-key              gsk_                  STARTgsk_[A-Za-z0-9]{30,}+
xai-key               xai-                  STARTxai-[A-Za-z0-9]{30,}+
perplexity-key        pplx-                 STARTpplx-[A-Za-z0-9]{30,}+
replicate-token       r8_                   STARTr8_[A-Za-z0-9]{30,}+
nvidia-key            nvapi-                STARTnvapi-URL64{30,}+
langsmith-key         lsv2_                 STARTlsv2_(?:pt|sk)_[0-9a-f_]{30,}+
npm-token             npm_                  STARTnpm_[A-Za-z0-9]{20,}+
pypi-token            pypi-                 STARTpypi-URL64{30,}+
rubygems-key          rubygems_             STARTrubygems_HEX{40,}+
crates-token          cio                   STARTcio[A-Za-z0-9]{32}(?![A-Za-z0-9])
nuget-key             oy2                   STARToy2[a-z0-9]{43}(?![A-Za-z0-9])
docker-token          dckr_pat_|dckr_oat_   dckr_[op]at_URL64{16,}+
sendgrid-key          SG.                   STARTSG\.URL64{16,}+\.URL64{16,}+
brevo-key             xkeysib-              xkeysib-[A-Za-z0-9-]{40,}+
resend-key            re_                   STARTre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}+
twilio-key            SK                    STARTSKHEX{32}(?![A-Za-z0-9])
twilio-key            AC                    STARTACHEX{32}[^A-Za-z0-9]{1,5}(HEX{32})(?![A-Za-z0-9])
mailgun-key           key-                  STARTkey-HEX{32}(?![A-Za-z0-9])
mailgun-key           mailgun               STARTHEX{32}-HEX{8}-HEX{8}(?![A-Za-z0-9-])
mailchimp-key         -us                   STARTHEX{32}-us\d{1,2}(?![A-Za-z0-9])
digitalocean-token    doo_v1_|dop_v1_|dor_v1_   do[opr]_v1_HEX{30,}+
heroku-key            HRKU-                 HRKU-URL64{30,}+
heroku-key            heroku                (?i:heroku)[\w "'.-]{0,40}?[:=]\s?["']?(UUID)
azure-storage-key     accountkey|sharedaccesskey   (?i:AccountKey|SharedAccessKey)\s?=\s?(BASE64{20,}+={0,2})
azure-sas             sig=                  [?&;]sig=([A-Za-z0-9%+/=]{30,}+)
azure-client-secret   Q~                    START[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}
telegram-token        :AA                   START\d{8,10}:AAURL64{32,}+
shopify-token         shpat_|shpca_|shppa_|shpss_|shprt_   shp(?:at|ca|pa|ss|rt)_[0-9a-fA-F]{32}
linear-key            lin_api_|lin_oauth_   lin_(?:api|oauth)_[A-Za-z0-9]{30,}+
notion-token          ntn_                  STARTntn_[A-Za-z0-9]{40,}+
notion-token          secret_               STARTsecret_[A-Za-z0-9]{43}(?![A-Za-z0-9])
airtable-token        pat                   STARTpat[A-Za-z0-9]{14}\.HEX{64}
figma-token           figd_                 figd_URL64{30,}+
atlassian-token       ATATT3|ATBB|ATCTT3    (?:ATATT3|ATCTT3|ATBB)[A-Za-z0-9_=-]{28,}+
databricks-token      dapi                  STARTdapiHEX{32}(?:-\d)?
vault-token           hvs.|hvb.|hvr.        STARThv[sbr]\.URL64{20,}+
terraform-token       .atlasv1.             [A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}+
pulumi-token          pul-                  STARTpul-HEX{40}
sentry-token          sntrys_|sntryu_       sntry[su]_[A-Za-z0-9_=+/-]{40,}+
postman-key           PMAK-                 PMAK-HEX{24}-HEX{34}
grafana-token         glsa_|glc_            START(?:glsa_[A-Za-z0-9]{30,}+(?:_[0-9a-fA-F]{8})?|glc_[A-Za-z0-9+/=]{32,}+)
newrelic-key          NRAK-|NRJS-|NRII-     NR(?:AK|JS|II)-[A-Za-z0-9_-]{19,}+
dynatrace-token       dt0c01.|dt0s01.       dt0[cs]01\.[A-Z0-9]{24}\.[A-Z0-9]{64}
square-token          sq0atp-|sq0csp-|EAAA  START(?:sq0(?:atp|csp)-URL64{22,}+|EAAAURL64{60,}+)
facebook-token        EAA                   STARTEAA[A-Za-z0-9]{60,}+
planetscale-token     pscale_               pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}+
supabase-key          sbp_|sb_secret_       START(?:sbp_HEX{40}|sb_secret_URL64{20,}+)
netlify-token         nfp_                  STARTnfp_[A-Za-z0-9]{36,}+
flyio-token           fm2_|fo1_             START(?:fm2_[A-Za-z0-9+/=]{60,}+|fo1_URL64{43})
doppler-token         dp.                   STARTdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}+
onepassword-token     ops_eyJ               ops_eyJ[A-Za-z0-9+/_-]{60,}+
tailscale-key         tskey-                tskey-[a-z]+-[A-Za-z0-9-]{16,}+
buildkite-token       bkua_                 bkua_HEX{40}
circleci-token        CCIPAT_               CCIPAT_[A-Za-z0-9_]{40,}+
sonar-token           sqp_|squ_|sqa_        STARTsq[pua]_HEX{40}
posthog-key           phx_|phs_             STARTph[xs]_[A-Za-z0-9]{40,}+
alibaba-key           LTAI                  STARTLTAI[A-Za-z0-9]{17,20}(?![A-Za-z0-9])
artifactory-token     AKCp|cmVmd            START(?:AKCp[A-Za-z0-9]{60,}+|cmVmd[A-Za-z0-9]{59})
adobe-secret          p8e-                  STARTp8e-[A-Za-z0-9_-]{32}
openshift-token       sha256~               sha256~URL64{43}
aws-bedrock-key       ABSK                  STARTABSK[A-Za-z0-9+/]{100,}+={0,2}
"""


def _assigned() -> Iterator[Rule]:
    """Yield the rules of values that only the word before them gives away."""
    forty = rf"(?<!{_BASE64}){_BASE64}{{40}}(?![A-Za-z0-9+/=])"
    yield Rule("aws-secret-key", ("aws", "secret", "akia", "asia"), forty, _mixed_case)
    for kind, triggers, pattern in assignment_patterns():
        yield Rule(kind, triggers, pattern, partial(is_assigned_secret, password=kind == "password"), value_span)


# Where two rules find the same place, the earlier one names it.
RULES: tuple[Rule, ...] = (*_structured(), *_issued(), *_assigned())
