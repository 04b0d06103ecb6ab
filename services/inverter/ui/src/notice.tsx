import { Alert, type AlertProps, Text } from '@mantine/core'
import type { ComponentType, ReactNode } from 'react'

/** A sentence that stands out from the page: a warning unless it has another colour. */
export function Notice(
  props: Pick<AlertProps, 'children' | 'color' | 'mb' | 'mt'> & {
    icon?: ComponentType<{ 'aria-hidden'?: boolean }>
    /** What stands below the sentence. */
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
