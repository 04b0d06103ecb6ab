import { Text } from '@mantine/core'
import { formatCount } from '@hearth/ui'
import { useState } from 'react'
import type { components } from '../api.gen.ts'
import { Value } from './site-diffs.tsx'

type ConfigChange = components['schemas']['ConfigChange']

/** Differences in Caddy's configuration by JSON path. `total` may exceed the number of `changes`. */
export function ConfigDiff({ changes, total }: { changes: readonly ConfigChange[]; total: number }) {
  if (total === 0) return <Text c="dimmed">Nothing differs in what Caddy runs.</Text>
  return (
    <>
      <ul className="config-diffs">
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <code className="config-path">/{path}</code>
            {before !== undefined && <Value sign="-" text={json(before)} />}
            {after !== undefined && <Value sign="+" text={json(after)} />}
          </li>
        ))}
      </ul>
      {total > changes.length && <Text c="dimmed">And {total - changes.length} more.</Text>}
    </>
  )
}

/** The same behind a button that says how much it is. */
export function FoldedConfigDiff({ changes, total }: { changes: readonly ConfigChange[]; total: number }) {
  const [isOpen, open] = useState(false)
  if (total === 0) return null
  return (
    <details className="folded" open={isOpen} onToggle={(event) => open(event.currentTarget.open)}>
      <summary>What differs in Caddy’s configuration: {formatCount(total, 'place')}</summary>
      {isOpen && <ConfigDiff changes={changes} total={total} />}
    </details>
  )
}

const json = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))
