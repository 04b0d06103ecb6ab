/** Begins of what servers say that are no inverter, and what speaks like that. */
const begins: readonly (readonly [string, string])[] = [
  ['HTTP/', 'a web server'],
  ['SSH-', 'an SSH server'],
  ['\u0015\u0003', 'a server that speaks TLS'],
  ['\u0016\u0003', 'a server that speaks TLS'],
  ['220 ', 'a mail or file server'],
  ['220-', 'a mail or file server'],
  ['* OK', 'a mail server'],
  ['RFB ', 'a screen-sharing server'],
]

/** Names the kind of server that answers with these bytes; null when they begin like nothing known. */
export function recognizeService(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('latin1')
  return begins.find(([begin]) => text.startsWith(begin))?.[1] ?? null
}
