import type { ServiceFolder } from '../../cli/services.ts'

/** What one service's unit asks for beyond what all have. */
interface Needs {
  readonly capabilities: readonly string[]
  /** Lines that add to, or take back from, what all have. */
  readonly lines: readonly string[]
}

/** Addresses of the internet and unix sockets; all services need them. */
const families = 'AF_INET AF_INET6 AF_UNIX'

/**
 * What services ask for. The keys are names of services; one without an entry asks for nothing more.
 * vpn: tunnels and rules of nftables are the host's, and so are port 53 and forwarding. Its resolver answers before other threads.
 * sites: its Caddy listens on 80 and 443, and serves files of `/var/www` and `/srv`.
 */
const needs: Readonly<Record<string, Needs>> = {
  vpn: {
    capabilities: ['CAP_NET_ADMIN', 'CAP_NET_BIND_SERVICE'],
    lines: [
      '# The service alone is stopped: wireguard-go processes, and with them the tunnels, go on.',
      'KillMode=process',
      'DeviceAllow=/dev/net/tun rw',
      'RuntimeDirectory=wireguard',
      'RuntimeDirectoryPreserve=yes',
      `RestrictAddressFamilies=${families} AF_NETLINK`,
      '# The thread that answers DNS goes first.',
      'LimitNICE=-10',
      'SystemCallFilter=setpriority',
    ],
  },
  media: {
    capabilities: [],
    lines: [
      'PrivateDevices=yes',
      'PrivateUsers=yes',
      'ProtectKernelTunables=yes',
      `RestrictAddressFamilies=${families}`,
      '# setpriv, which ties tools to the life of the service, sets the capabilities that are left: none.',
      'SystemCallFilter=capset',
    ],
  },
  sites: {
    capabilities: ['CAP_NET_BIND_SERVICE'],
    lines: [
      '# A stop ends the service and its Caddy; a crash leaves Caddy serving.',
      'KillMode=mixed',
      'PrivateDevices=yes',
      'ProtectKernelTunables=yes',
      `RestrictAddressFamilies=${families} AF_NETLINK`,
    ],
  },
  inverter: {
    capabilities: [],
    lines: [
      '# A stop gives the inverter its own settings back first.',
      'TimeoutStopSec=30',
      'PrivateDevices=yes',
      'PrivateUsers=yes',
      'ProtectKernelTunables=yes',
      `RestrictAddressFamilies=${families}`,
    ],
  },
}

/** The capabilities that a service keeps, as systemd names them. */
export const capabilitiesOf = (name: string): readonly string[] => needs[name]?.capabilities ?? []

/** The part of every unit that closes what no program here needs. */
const closed = `NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectControlGroups=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM`

/** User, folders and settings of a program that runs as the user of a service. */
const ownership = (user: string, name: string): string => `User=hearth-${user}
Group=hearth-${user}
Environment=DATA_DIR=/var/lib/hearth/${name}
EnvironmentFile=-/etc/hearth/${name}.env
WorkingDirectory=/var/lib/hearth/${name}
StateDirectory=hearth/${name}
StateDirectoryMode=0700`

/** The systemd unit of a service. */
export function unitText({ name, title }: ServiceFolder): string {
  const { capabilities, lines } = needs[name] ?? { capabilities: [], lines: [] }
  return `[Unit]
Description=Hearth ${title}
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
NotifyAccess=all
ExecStart=/usr/bin/hearth ${name} serve
${ownership(name, name)}
CacheDirectory=hearth/${name}
CacheDirectoryMode=0700
UMask=0077
Restart=on-failure
RestartSec=5
WatchdogSec=90
TimeoutStartSec=120
# Open on purpose: the network is what the service is for, and V8 compiles at run time, so MemoryDenyWriteExecute cannot be set.
CapabilityBoundingSet=${capabilities.join(' ')}
AmbientCapabilities=${capabilities.join(' ')}
${closed}
${lines.join('\n')}

[Install]
WantedBy=multi-user.target
`
}

/** The unit of a host that runs tunnels for the VPN service of another one. It is enabled by hand, once the host has joined. */
const nodeUnit = `[Unit]
Description=Hearth VPN node
# What is on the disk runs without the service, so nothing waits for a network that may not be there.
After=network.target
ConditionPathExists=/var/lib/hearth/vpn-node/node.json

[Service]
Type=exec
ExecStart=/usr/bin/hearth vpn node run
${ownership('vpn', 'vpn-node')}
CacheDirectory=hearth/vpn-node
CacheDirectoryMode=0700
UMask=0077
Restart=on-failure
RestartSec=5
# Tunnels and rules of nftables are the host's, and so are forwarding and port 53.
CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_NET_ADMIN CAP_NET_BIND_SERVICE
${closed}
# The program alone is stopped: wireguard-go processes, and with them the tunnels, go on.
KillMode=process
DeviceAllow=/dev/net/tun rw
RuntimeDirectory=wireguard
RuntimeDirectoryPreserve=yes
RestrictAddressFamilies=${families} AF_NETLINK
# The thread that answers DNS goes first.
LimitNICE=-10
SystemCallFilter=setpriority

[Install]
WantedBy=multi-user.target
`

/** Units beside that of a service, by name without `.service`. A package does not enable them. */
export const moreUnits = ({ name }: Pick<ServiceFolder, 'name'>): ReadonlyMap<string, string> =>
  new Map(name === 'vpn' ? [['hearth-vpn-node', nodeUnit]] : [])
