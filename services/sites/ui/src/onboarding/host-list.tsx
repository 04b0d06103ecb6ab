import { Button, Text } from '@mantine/core'
import { useState } from 'react'

const fewHosts = 12

/** The names a Caddy serves; many of them are folded. */
export function HostList({ hosts }: { hosts: readonly string[] }) {
  const [isWhole, setWhole] = useState(hosts.length <= fewHosts)
  if (hosts.length === 0) return <Text>It has a configuration, but no host names of its own.</Text>
  const shown = isWhole ? hosts : hosts.slice(0, fewHosts)
  return (
    <div>
      <ul className="host-list" aria-label="Hosts served now">
        {shown.map((host) => (
          <li key={host} className="hearth-mono">
            {host}
          </li>
        ))}
      </ul>
      {!isWhole && (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          Show all {hosts.length}
          {hosts.length === 200 && ' of the first'}
        </Button>
      )}
    </div>
  )
}
