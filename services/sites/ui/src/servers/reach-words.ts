/** What the codes of failed connections mean at an admin endpoint. */
const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there. Caddy does not run, or its endpoint is another one.',
  ENOENT: 'There is no such socket. Caddy does not run, or its socket has another path.',
  EACCES: 'This service may not use that socket. Add its user to the group of Caddy.',
  ENOTFOUND: 'There is no machine of that name.',
  EHOSTUNREACH: 'There is no way to that machine.',
  ETIMEDOUT: 'That machine does not answer.',
}

/** A sentence for a person about why an admin endpoint does not answer, with the server's own words before it. */
export function describeReach(error: string): string {
  const said = `${error.charAt(0).toUpperCase()}${error.slice(1)}`
  const code = /\bE[A-Z]{4,}\b/.exec(error)?.[0] ?? ''
  const meaning = meanings[code]
  return meaning === undefined ? said : `${said}. ${meaning}`
}
