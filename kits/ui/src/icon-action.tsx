import { ActionIcon, Tooltip, type ActionIconProps } from '@mantine/core'
import type { ComponentType } from 'react'

interface IconActionProps extends Pick<ActionIconProps, 'variant' | 'color' | 'size' | 'loading' | 'visibleFrom'> {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  /** Names the button for screen readers. */
  label: string
  /** Shown beside the pointer; the label unless given. */
  tip?: string
  iconSize?: number
  onClick: () => void
}

/** A button that is an icon alone; a tooltip says what it does. */
export function IconAction({ icon: Icon, label, tip = label, iconSize = 18, onClick, ...look }: IconActionProps) {
  return (
    <Tooltip label={tip}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={onClick} {...look}>
        <Icon size={iconSize} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
