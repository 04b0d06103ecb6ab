import { Button, type ButtonProps } from '@mantine/core'
import { Link } from 'wouter'
import type { Remedy } from './failure-help.ts'

interface RemedyButtonProps extends Pick<ButtonProps, 'className' | 'size' | 'variant'> {
  remedy: Remedy
  /** Tries the job again. */
  onRetry: () => void
  /** True while it is tried again. */
  isBusy: boolean
}

/** The one thing to do about a failure. */
export function RemedyButton({ remedy, onRetry, isBusy, ...look }: RemedyButtonProps) {
  const { kind, label } = remedy
  if (kind === 'retry')
    return (
      <Button onClick={onRetry} loading={isBusy} {...look}>
        {label}
      </Button>
    )
  if (kind === 'link')
    return (
      <Button component={Link} href={remedy.href} {...look}>
        {label}
      </Button>
    )
  return (
    <Button component="a" href={remedy.href} target="_blank" rel="noreferrer noopener" {...look}>
      {label}
    </Button>
  )
}
