import { Text } from '@mantine/core'
import { ErrorState, LoadingLines, Section } from '@hearth/ui'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import './dashboard.css'

interface Answer<Row> {
  readonly data: readonly Row[] | undefined
  readonly error: unknown
  refetch(): unknown
}

interface CardListProps<Row> {
  title: string
  /** Link to the whole list. */
  more: { href: string; text: string }
  answer: Answer<Row>
  rowKey: (row: Row) => string
  render: (row: Row) => ReactNode
  /** Text of the empty list. */
  empty: ReactNode
}

/** The first few of something, with the way to all of them. */
export function CardList<Row>({ title, more, answer, rowKey, render, empty }: CardListProps<Row>) {
  const { data, error } = answer
  return (
    <Section
      title={title}
      actions={
        <Link href={more.href} className="hearth-link">
          {more.text}
        </Link>
      }
    >
      {data === undefined && (error === null || error === undefined) && <LoadingLines lines={3} />}
      {data === undefined && error !== null && error !== undefined && (
        <ErrorState error={error} onRetry={() => void answer.refetch()} />
      )}
      {data?.length === 0 && (
        <Text c="dimmed" size="sm">
          {empty}
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="dashboard-list">
          {data.map((row) => (
            <li key={rowKey(row)}>{render(row)}</li>
          ))}
        </ul>
      )}
    </Section>
  )
}
