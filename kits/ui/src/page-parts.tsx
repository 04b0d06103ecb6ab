import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { ApiError, describeError } from './api-error.ts'

/** The head of a page: its name, a sentence under it, and what can be done on the right. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: string
  description?: ReactNode
  actions?: ReactNode
}) {
  return (
    <header className="hearth-page-header">
      <div>
        <Title order={1}>{title}</Title>
        {description !== undefined && <Text c="dimmed">{description}</Text>}
      </div>
      {actions !== undefined && <div className="hearth-page-actions">{actions}</div>}
    </header>
  )
}

/** Nothing is here yet: says so, why, and offers the next step. */
export function EmptyState({
  icon: Icon,
  title,
  children,
  action,
  heading = 'p',
}: {
  /** `h1` when nothing else on the page is a heading. */
  heading?: 'p' | 'h1'
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="hearth-empty">
      <Icon size={36} stroke={1.4} aria-hidden />
      <Text component={heading} m={0} fw={600}>
        {title}
      </Text>
      {children !== undefined && (
        <Text c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </div>
  )
}

/** Something could not be read: what happened, and a way to try again. A 429 counts down and tries by itself. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const wait = error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? 10) : undefined
  return (
    <div className="hearth-empty" role="alert">
      <IconAlertTriangle size={32} stroke={1.5} aria-hidden />
      <Text fw={600}>{wait === undefined ? 'Could not load this' : 'Too many requests'}</Text>
      {wait === undefined ? (
        <Text c="dimmed" maw={440}>
          {describeError(error)}
        </Text>
      ) : (
        <CountDown key={wait} seconds={wait} onEnd={onRetry} />
      )}
      <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}

function CountDown({ seconds, onEnd }: { seconds: number; onEnd: () => void }) {
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    const timer = setTimeout(() => (left > 1 ? setLeft(left - 1) : onEnd()), 1000)
    return () => clearTimeout(timer)
  }, [left, onEnd])
  return (
    <Text c="dimmed" maw={440}>
      The page sent too many requests. It tries again in {left} s.
    </Text>
  )
}

/** Grey bars in the place of what is being read. */
export function LoadingLines({ lines = 4 }: { lines?: number }) {
  return (
    <Stack component="output" gap="sm" aria-label="Loading">
      {placeholders(lines).map((name) => (
        <Skeleton key={name} height={38} />
      ))}
    </Stack>
  )
}

/** Placeholder of a query without data: grey bars while it is read, the error and a button to retry after a failure. */
export function QueryState({ query, lines }: { query: Query; lines: number }) {
  if (query.data !== undefined) return null
  if (query.error === null) return <LoadingLines lines={lines} />
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
}

interface Query {
  readonly data: unknown
  readonly error: unknown
  refetch(): unknown
}

/** A surface with a heading of its own. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="hearth-card" aria-label={title}>
      <div className="hearth-card-head">
        <Title order={2}>{title}</Title>
        {actions}
      </div>
      {children}
    </section>
  )
}

/** A name and a value in a `dl`. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** A figure with its name and what it is part of. */
export function Tile(props: { label: string; value: string; note?: ReactNode; tone?: 'warn' | 'bad' | undefined }) {
  const { label, value, note, tone } = props
  return (
    <section className="hearth-card hearth-tile" aria-label={label}>
      <p className="hearth-tile-small">{label}</p>
      <p className="hearth-tile-value" data-tone={tone}>
        {value}
      </p>
      {note !== undefined && <p className="hearth-tile-small">{note}</p>}
    </section>
  )
}

/** Keys for a number of placeholders. */
export function placeholders(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `placeholder ${place}`)
}
