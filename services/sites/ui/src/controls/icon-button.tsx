import { Button, type ButtonProps } from '@mantine/core'
import type { ComponentType } from 'react'

interface IconButtonProps extends ButtonProps {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  'aria-label'?: string
  onClick: () => void
}

/** A button with an icon before its text; `filled` marks the main action of a place. */
export function IconButton({ icon: Icon, variant = 'default', ...rest }: IconButtonProps) {
  const leftSection = <Icon size={rest.size === 'xs' ? 14 : 16} aria-hidden />
  return <Button variant={variant} leftSection={leftSection} {...rest} />
}
