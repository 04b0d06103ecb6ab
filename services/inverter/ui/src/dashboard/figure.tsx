import { Skeleton, Tooltip, VisuallyHidden } from '@mantine/core'
import { useNow } from '@hearth/ui'
import { IconClockExclamation } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'
import { type LiveValue, staleness } from '../values/live-value.ts'
import type { Quantity } from '../values/quantity.ts'
import './figure.css'

/** One number with its name. */
export interface FigureProps {
  label: string
  icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>
  kind?: 'solar' | 'house' | 'battery' | 'grid'
  /** Undefined while it is not known; its room is kept. */
  quantity: Quantity | undefined
  note?: ReactNode
  /** Reason why the number is old; null while it is fresh. */
  stale?: string | null
}

/** Shows one number with its name. */
export function Figure({ label, icon: Icon, kind, quantity, note, stale = null }: FigureProps) {
  return (
    <div className="figure" data-kind={kind} data-stale={stale !== null || undefined}>
      <p className="figure-label">
        <Icon size={17} stroke={1.8} aria-hidden />
        {label}
        <StaleSign reason={stale} />
      </p>
      <p className="figure-value">
        {quantity === undefined ? (
          <Skeleton height={22} width={90} />
        ) : (
          <>
            {quantity.digits}
            {quantity.unit !== '' && <small> {quantity.unit}</small>}
          </>
        )}
      </p>
      <p className="figure-note">{stale === null ? (note ?? ' ') : `stale: ${stale}`}</p>
    </div>
  )
}

/** A clock with the reason why a value is old; nothing while it is fresh. */
export function StaleSign({ reason }: { reason: string | null }) {
  if (reason === null) return null
  return (
    <Tooltip label={`Stale value: ${reason}`}>
      <span className="stale-sign">
        <IconClockExclamation size={16} aria-hidden />
        <VisuallyHidden>Stale value: {reason}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}

/** Seconds after which a value that is read all the time counts as stale. */
const flowMaxAge = 45
/** Seconds after which a slowly changing value counts as stale. */
const slowMaxAge = 900

/** Reason why one of these values is stale, updated as time passes. */
export function useStaleness(values: readonly (LiveValue | undefined)[], pace: 'flow' | 'slow' = 'flow') {
  const now = useNow().getTime()
  for (const value of values) {
    const limits = { now, maxAgeSeconds: pace === 'flow' ? flowMaxAge : slowMaxAge }
    const reason = value === undefined ? null : staleness(value, limits)
    if (reason !== null) return reason
  }
  return null
}
