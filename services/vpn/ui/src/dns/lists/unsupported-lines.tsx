import type { Blocklist } from '../../api.ts'
import { leftOutWords } from './list-words.ts'
import { Modal, Stack, Text } from '@mantine/core'
import { formatCount } from '@hearth/ui'

/** The lines of a list that a resolver can make nothing of, and why. */
export function UnsupportedLines({ list, onClose }: { list: Blocklist; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={`Lines left out of ${list.name}`} size="lg">
      <Stack>
        <Text>
          {formatCount(list.unsupported, 'line')} of {list.name} cannot be used by a resolver: it sees names alone, not
          pages. The rest of the list counts.
        </Text>
        <ul className="reason-list">
          {Object.entries(list.unsupported_reasons)
            .toSorted(([, one], [, other]) => other - one)
            .map(([reason, lines]) => (
              <li key={reason}>
                <span>{leftOutWords(reason)}</span>
                <b>{lines.toLocaleString('en')}</b>
                <Examples of={list.unsupported_examples.filter((example) => example.reason === reason)} />
              </li>
            ))}
        </ul>
      </Stack>
    </Modal>
  )
}

function Examples({ of }: { of: Blocklist['unsupported_examples'] }) {
  if (of.length === 0) return undefined
  return (
    <ul className="reason-examples hearth-dimmed" aria-label="For example">
      {of.map(({ line, text }) => (
        <li key={line}>
          line {line.toLocaleString('en')} <code>{text}</code>
        </li>
      ))}
    </ul>
  )
}
