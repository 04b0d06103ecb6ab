/** Name of a peer's configuration file; the WireGuard apps take it for the tunnel's name, so it has at most 15 plain characters. That for the standby ends with `-2`. */
export function configurationFileName(peerName: string, isStandby = false): string {
  const ending = isStandby ? '-2' : ''
  const plain = peerName
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9_=+.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, 15 - ending.length)
  return `${plain === '' ? 'wireguard' : plain}${ending}.conf`
}
