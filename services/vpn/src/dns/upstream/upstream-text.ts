import type { Upstream } from '../process/resolver-files.ts'

/** Stand-in until the branch with the real one is merged. */
export function parseUpstream(text: string): Upstream {
  const [, protocol = 'udp', address = ''] = /^(?:(udp|tcp|tls):\/\/)?([0-9.]+)/.exec(text) ?? []
  if (address === '') throw new Error('is no server to ask')
  return { label: text, protocol: protocol as 'udp', address, port: 53, name: undefined, path: undefined }
}
