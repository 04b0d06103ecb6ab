/** Name of a peer's configuration file; the WireGuard apps take it for the tunnel's name, so it has at most 15 plain characters. */
export function configurationFileName(peerName: string): string {
  const plain = peerName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_=+.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 15)
  return `${plain === '' ? 'wireguard' : plain}.conf`
}
