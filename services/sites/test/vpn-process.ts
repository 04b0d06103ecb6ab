import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { eventually, freePort, runCommand, startServiceProcess, temporaryDirectory } from '@hearth/testing'

/** A Hearth VPN as a process of its own, with a resolver on a port of loopback; its tunnels are simulated. */
export interface VpnProcess extends AsyncDisposable {
  readonly url: string
  /** A full token of its administrator. */
  readonly token: string
  makeToken(permissions: 'full' | 'read-only'): Promise<string>
  /** Calls its API with the token. */
  call(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }>
  /** Addresses of a name, as devices in the tunnel are told; empty for none. */
  resolve(name: string, family?: 4 | 6): Promise<string[]>
  /** Ends it as a crash would, or asks it to end. */
  stop(how: 'kill' | 'stop'): Promise<void>
  /** Starts it again at the same port, with its data. */
  startAgain(): Promise<void>
}

/** Starts a VPN with one interface. */
export async function startVpn(more: Readonly<Record<string, string>> = {}): Promise<VpnProcess> {
  await using made = new AsyncDisposableStack()
  const { path: folder } = made.use(await temporaryDirectory('vpn'))
  const dns = await freePort()
  const environment: Record<string, string> = {
    DATA_DIR: folder,
    BIND_PORT: String(await freePort()),
    WIREGUARD_BACKEND: 'simulated',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    DNS_LISTEN: `127.0.0.1:${dns}`,
    DNS_UPSTREAMS: `udp://127.0.0.1:${await startEmptyNameServer(made)}`,
    ...more,
  }
  let service = await startServiceProcess('vpn', environment)
  made.defer(() => service[Symbol.asyncDispose]())
  const makeToken = async (permissions: 'full' | 'read-only') => {
    const args = ['vpn', 'token', 'create', '--user', 'admin', '--name', `sites ${permissions} ${Date.now()}`]
    const { code, stdout, stderr } = await runCommand([...args, '--permissions', permissions], environment)
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
  const token = await makeToken('full')
  const { url } = service
  const call: VpnProcess['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: await response.json() }
  }
  const added = await call('POST', '/api/interfaces', { name: 'wg0', address: '10.231.8.1/24', nat: false })
  if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  const resolver = new Resolver({ timeout: 5000, tries: 1 })
  resolver.setServers([`127.0.0.1:${dns}`])
  const all = made.move()
  return {
    url,
    token,
    makeToken,
    call,
    async resolve(name, family = 4) {
      const answer = family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)
      return await answer.catch((error: unknown) => {
        const code = (error as NodeJS.ErrnoException).code ?? ''
        if (['ENODATA', 'ENOTFOUND', 'ESERVFAIL', 'EREFUSED'].includes(code)) return []
        throw error
      })
    },
    stop: async (how) => void (await service[how]()),
    async startAgain() {
      service = await eventually(
        () => startServiceProcess('vpn', environment),
        () => true,
      )
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Starts a name server that knows no name; returns its port. */
async function startEmptyNameServer(made: AsyncDisposableStack): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const answer = Buffer.from(query.subarray(0, questionEnd(query)))
    // A recursive answer: no such name (RFC 1035 section 4.1.1), and one question.
    answer.writeUInt16BE(0x8183, 2)
    answer.fill(0, 6, 12)
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  made.defer(() => new Promise<void>((resolve) => socket.close(resolve)))
  return socket.address().port
}

function questionEnd(query: Buffer): number {
  let at = 12
  while ((query[at] ?? 0) !== 0) at += (query[at] ?? 0) + 1
  return at + 5
}
