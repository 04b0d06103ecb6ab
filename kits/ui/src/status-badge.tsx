import { IconAlertTriangle, IconCircle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ComponentType, ReactNode } from 'react'

/** Meaning of a status; the colour follows from it, the icon and the text say it without colour. */
export type Tone = 'good' | 'quiet' | 'warn' | 'bad' | 'accent'

const icons: Record<Tone, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>> = {
  good: IconCircleCheck,
  quiet: IconCircle,
  warn: IconAlertTriangle,
  bad: IconCircleX,
  accent: IconInfoCircle,
}

/** A state in a word, with an icon of its own; `children` is the text. */
export function StatusBadge({
  tone,
  icon: Icon = icons[tone],
  children,
}: {
  tone: Tone
  icon?: ComponentType<{ size?: number; 'aria-hidden'?: boolean }> | undefined
  children: ReactNode
}) {
  return (
    <span className="hearth-status" data-tone={tone}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  )
}
