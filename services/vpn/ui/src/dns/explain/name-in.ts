/** The host in what someone pasted: a name, a name with a path, or a whole address. */
export function nameIn(text: string): string {
  const trimmed = text.trim()
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  const written = address.replace(/^[^/]*\/\/(?:[^@/]*@)?/, '').replace(/[/?#:].*$/, '')
  return written === '' ? trimmed : written
}
