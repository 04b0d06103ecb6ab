import { Fact } from '@hearth/ui'
import { Alert, type AlertProps, Button, type ButtonProps, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'
import { useSearchParams } from 'wouter'

type Icon = ComponentType<{ size?: number; 'aria-hidden'?: boolean }>

/** A sentence that stands out from the page: a warning unless it has another colour. */
export function Notice(
  props: Pick<AlertProps, 'children' | 'color' | 'mb' | 'mt'> & {
    icon?: Icon
    /** Content below the sentence. */
    more?: ReactNode
  },
) {
  const { icon: Icon, children, more, ...look } = props
  return (
    <Alert color="yellow" variant="light" icon={Icon && <Icon aria-hidden />} className="notice-banner" {...look}>
      <Text size="md">{children}</Text>
      {more}
    </Alert>
  )
}

interface Query {
  data: unknown
  error: unknown
  refetch(): unknown
}

/** Several queries as one: its data is there once all of them have theirs. */
export const combined = (...queries: readonly Query[]) => ({
  data: queries.every(({ data }) => data !== undefined) || undefined,
  error: queries.find(({ error }) => error !== null)?.error ?? null,
  refetch: () => Promise.all(queries.map((query) => query.refetch())),
})

/** Names with their values, such as those of a device. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="hearth-facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
    </dl>
  )
}

/** A button with an icon before its text. */
export function IconButton({ icon: Icon, ...props }: ButtonProps & { icon: Icon; onClick: () => void }) {
  return <Button variant="default" leftSection={<Icon size={16} aria-hidden />} {...props} />
}

/** A parameter of the page's address. A change replaces the entry in the history and keeps the other parameters. */
export function useAddressParameter(name: string): [string | null, (value: string | undefined) => void] {
  const [params, setParams] = useSearchParams()
  const set = (value: string | undefined) =>
    setParams(
      (present) => {
        const next = new URLSearchParams(present)
        if (value === undefined) next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return [params.get(name), set]
}
