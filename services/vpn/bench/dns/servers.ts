import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Configuration of every server under test: a list, a port to listen on and a server to forward to, all on loopback. */
export interface Setting {
  readonly list: string
  /** Its own folder. */
  readonly work: string
  readonly port: number
  readonly upstream: number
}

/** Command that starts it. */
export interface Server {
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The compiled lists it starts from. */
  readonly table?: string
  /** To be called before each start. */
  readonly prepare?: () => Promise<void>
  /** Started before it, on the same cores, and ended with it. */
  readonly companion?: readonly string[]
}

async function put(work: string, name: string, text: string): Promise<string> {
  await mkdir(work, { recursive: true })
  const file = join(work, name)
  await writeFile(file, text)
  return file
}

async function domainsOf(list: string): Promise<string[]> {
  return (await readFile(list, 'latin1')).split('\n').filter((line) => line !== '')
}

/** nsd with one wildcard at the root: it knows every name, with a TTL of 300 s. */
export async function nsd(work: string, port: number): Promise<Server> {
  const zone = ['$ORIGIN .', '$TTL 300', '@ SOA ns. root. 1 3600 600 86400 60', '@ NS ns.', 'ns. A 127.0.0.1']
  await put(work, 'root.zone', [...zone, '* A 203.0.113.7', '* AAAA 2001:db8::7', ''].join('\n'))
  const file = await put(
    work,
    'nsd.conf',
    `server:
  ip-address: 127.0.0.1@${port}
  server-count: 1
  username: ""
  chroot: ""
  pidfile: "${work}/nsd.pid"
  zonesdir: "${work}"
  database: ""
  xfrdfile: "${work}/xfrd.state"
  zonelistfile: "${work}/zone.list"
  minimal-responses: yes
  rrl-ratelimit: 0
  reuseport: no
remote-control:
  control-enable: no
zone:
  name: "."
  zonefile: "root.zone"
`,
  )
  return { command: ['/usr/sbin/nsd', '-d', '-c', file] }
}

/** Of Debian's fstrm-bin. */
export const captureProgram = '/usr/bin/fstrm_capture'

/** Unbound with a record of every query, written to a file by a capture process. */
export async function unboundWithLog(setting: Setting): Promise<Server> {
  const socket = join(setting.work, 'dnstap.sock')
  const file = join(setting.work, 'dnstap.fstrm')
  const server = await unbound(setting, socket)
  return {
    ...server,
    companion: [captureProgram, '-t', 'protobuf:dnstap.Dnstap', '-u', socket, '-w', file],
    prepare: () => rm(file, { force: true }),
  }
}

/** One worker thread, no validation, a cache of the same order as the others'. `dnstap` is a socket to log every query to. */
export async function unbound(setting: Setting, dnstap?: string): Promise<Server> {
  const names = await domainsOf(setting.list)
  const zones = names.map((name) => `local-zone: "${name}" always_null\n`).join('')
  const include = await put(setting.work, 'zones.conf', `server:\n${zones}`)
  const logging = `dnstap:
  dnstap-enable: yes
  dnstap-socket-path: "${dnstap}"
  dnstap-log-client-response-messages: yes
`
  const file = await put(
    setting.work,
    'unbound.conf',
    `server:
  interface: 127.0.0.1
  port: ${setting.port}
  num-threads: 1
  access-control: 127.0.0.0/8 allow
  username: ""
  chroot: ""
  directory: "${setting.work}"
  pidfile: "${setting.work}/unbound.pid"
  use-syslog: no
  verbosity: 0
  module-config: "iterator"
  do-not-query-localhost: no
  msg-cache-size: 64m
  rrset-cache-size: 128m
  outgoing-range: 4096
  num-queries-per-thread: 4096
  so-rcvbuf: 4m
  so-sndbuf: 4m
  include: "${include}"
remote-control:
  control-enable: no
${dnstap === undefined ? '' : logging}forward-zone:
  name: "."
  forward-addr: 127.0.0.1@${setting.upstream}
`,
  )
  return { command: ['/usr/sbin/unbound', '-d', '-p', '-c', file] }
}

export async function dnsmasq(setting: Setting): Promise<Server> {
  const lines = (await domainsOf(setting.list)).map((name) => `address=/${name}/#\n`).join('')
  const list = await put(setting.work, 'list.conf', lines)
  const file = await put(
    setting.work,
    'dnsmasq.conf',
    `port=${setting.port}
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
user=root
conf-file=${list}
server=127.0.0.1#${setting.upstream}
cache-size=10000
dns-forward-max=10000
pid-file=
`,
  )
  return { command: ['/usr/sbin/dnsmasq', '-k', '-C', file] }
}

export async function dnsdist(setting: Setting): Promise<Server> {
  const file = await put(
    setting.work,
    'dnsdist.lua',
    `setLocal('127.0.0.1:${setting.port}', {reusePort=true})
newServer({address='127.0.0.1:${setting.upstream}', sockets=4}):setUp()
setSecurityPollSuffix('')
getPool(''):setCache(newPacketCache(100000, {maxTTL=86400, minTTL=0}))
local names = newSuffixMatchNode()
for line in io.lines('${setting.list}') do names:add(line) end
addAction(SuffixMatchNodeRule(names, true), SpoofAction({'0.0.0.0', '::'}))
`,
  )
  return { command: ['/usr/bin/dnsdist', '--supervised', '--disable-syslog', '-C', file] }
}
