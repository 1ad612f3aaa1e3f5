// The routes of the server. A failure carries the sentence that the server said.

export class Failure extends Error {
  constructor(status, said) {
    super(said.error);
    this.status = status;
    this.current = said.current;
  }
}

async function answered(response) {
  if (response.status === 401) {
    throw new Failure(401, { error: "This page's key has run out: open the address that the server printed last." });
  }
  let said;
  try {
    said = await response.json();
  } catch {
    throw new Failure(response.status, { error: `The server answered ${response.status}.` });
  }
  if (!response.ok) throw new Failure(response.status, said);
  return said;
}

async function asked(address, options) {
  try {
    return await answered(await fetch(address, options));
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(0, { error: "The server is gone; start it again." });
    throw error;
  }
}

export function get(name, fields = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each) query.append(key, each);
  }
  return asked(`/api/${name}?${query}`, { signal });
}

export function post(name, fields) {
  return asked(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  });
}
