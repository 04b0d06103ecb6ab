import { ActionIcon, Text, Tooltip } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { IconButton } from '../controls/icon-button.tsx'
import { valueAt } from './draft.ts'
import { useEditing } from './fields.tsx'
import { issueAt } from './issues.ts'

interface RowListProps {
  /** Path of the list in the draft. */
  path: string
  /** Noun for one row, such as `server`. */
  noun: string
  addLabel: string
  blank: object
  max: number
  /** Shows that many rows without a way to remove the last of them. */
  least?: number
  /** Stands there without any row. */
  empty?: string
  isTall?: boolean
  render: (path: string, place: number) => ReactNode
}

/** Rows of a site, such as its servers: added, filled, removed. */
export function RowList(props: RowListProps) {
  const { path, noun, addLabel, blank, max, least = 0, empty, isTall = false, render } = props
  const { draft, issues, set } = useEditing()
  const value = valueAt(draft, path)
  const rows = Array.isArray(value) ? (value as unknown[]) : []
  const error = issueAt(issues, path)
  return (
    <div className="row-list">
      {rows.length === 0 && empty !== undefined && (
        <Text c="dimmed" size="sm">
          {empty}
        </Text>
      )}
      {rows.map((_, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no names, and are only added at the end
        <div key={place} className="row-list-row" data-tall={isTall || undefined}>
          <div className="row-list-fields">{render(`${path}.${place}`, place)}</div>
          {rows.length > least && (
            <Tooltip label={`Remove ${noun} ${place + 1}`}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={34}
                aria-label={`Remove ${noun} ${place + 1}`}
                onClick={() => set(path, rows.toSpliced(place, 1))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </div>
      ))}
      {error !== undefined && (
        <Text className="field-error" role="alert">
          {error}
        </Text>
      )}
      {rows.length < max && (
        <IconButton
          icon={IconPlus}
          variant="subtle"
          size="xs"
          className="row-list-add"
          onClick={() => set(path, [...rows, structuredClone(blank)])}
        >
          {addLabel}
        </IconButton>
      )}
    </div>
  )
}
