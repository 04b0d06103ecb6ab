import { ActionIcon, Autocomplete, Text } from '@mantine/core'
import { Section } from '@hearth/ui'
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { keys, readParameters } from '../api.ts'
import { moveEntry } from './scrape-config.ts'

/** Maximum number of values in a scrape. */
const maxNames = 64

const moves = [
  { word: 'up', icon: IconArrowUp, step: -1 },
  { word: 'down', icon: IconArrowDown, step: 1 },
] as const

/** Chooses which values are exposed, and in which order. */
export function MetricPicker(props: {
  names: string[]
  error: string | undefined
  onChange: (names: string[]) => void
  title?: string
  /** What it means that nothing is chosen. */
  empty?: string
}) {
  const { names, error, onChange, title = 'Exposed values' } = props
  const { empty = 'A scraper gets only connection counters. Start with battery_soc.' } = props
  const [typed, setTyped] = useState('')
  const parameters = useQuery({ queryKey: keys.parameters, queryFn: readParameters })
  const free = (parameters.data ?? []).filter(({ name, is_action }) => !is_action && !names.includes(name))
  const add = (name: string) => {
    onChange([...names, name])
    setTyped('')
  }
  return (
    <Section
      title={title}
      actions={
        <span className="hearth-dimmed">
          {names.length} of {maxNames}
        </span>
      }
    >
      <div className="hearth-stack">
        <Autocomplete
          label="Add a value"
          description="Type part of a name; the value is added at the end"
          placeholder="battery_soc"
          data={free.map(({ name }) => name)}
          value={typed}
          limit={30}
          disabled={names.length >= maxNames}
          error={error}
          selectFirstOptionOnChange
          onChange={setTyped}
          onOptionSubmit={add}
          onKeyDown={(event) => {
            // Enter chooses from the list, it does not save the page.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
        {names.length === 0 && <Text className="hearth-dimmed">No values yet. {empty}</Text>}
        <ol className="plain-list picked">
          {names.map((name, index) => (
            <li key={name}>
              <span className="picked-place">{index + 1}</span>
              <span className="hearth-mono">{name}</span>
              {moves.map(({ word, icon: Icon, step }) => (
                <ActionIcon
                  key={word}
                  variant="subtle"
                  color="gray"
                  size={34}
                  aria-label={`Move ${name} ${word}`}
                  disabled={names[index + step] === undefined}
                  onClick={() => onChange(moveEntry(names, name, step))}
                >
                  <Icon size={16} aria-hidden />
                </ActionIcon>
              ))}
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                aria-label={`Remove ${name}`}
                onClick={() => onChange(names.filter((other) => other !== name))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </li>
          ))}
        </ol>
      </div>
    </Section>
  )
}
