import { Text } from '@mantine/core'
import { QueryState, Section } from '@hearth/ui'
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
  const { data } = answer
  return (
    <Section
      title={title}
      actions={
        <Link href={more.href} className="hearth-link">
          {more.text}
        </Link>
      }
    >
      <QueryState query={answer} lines={3} />
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
