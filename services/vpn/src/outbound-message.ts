import { OutboundRefused } from '@hearth/outbound'

/** What to tell an administrator of a fetch that failed; a refusal names the variable that lifts it. */
export function outboundMessage(error: Error): string {
  if (!(error instanceof OutboundRefused)) return error.message
  const { reason, host, port } = error
  if (reason === 'address') return `${error.message}; add it to OUTBOUND_ALLOW to fetch from it`
  if (reason === 'port') return `${error.message}; add ${host}:${port} to OUTBOUND_ALLOW to fetch from it`
  return error.message
}
