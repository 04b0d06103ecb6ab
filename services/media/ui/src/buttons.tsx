import { Button, type ButtonProps } from '@mantine/core'
import { ConfirmDelete } from '@hearth/ui'
import { IconTrash } from '@tabler/icons-react'
import { useState, type ComponentProps, type ComponentType, type ReactNode } from 'react'

type Look = 'variant' | 'color' | 'size' | 'loading' | 'disabled' | 'className' | 'aria-label'

interface ActionButtonProps extends Pick<ButtonProps & { 'aria-label'?: string }, Look> {
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  onClick: () => void
  children: ReactNode
}

/** A button with an icon in front of its label. Other props are those of Mantine's button. */
export function ActionButton({ icon: Icon, ...props }: ActionButtonProps) {
  return <Button variant="default" leftSection={<Icon size={props.size === 'xs' ? 14 : 16} aria-hidden />} {...props} />
}

type Question = Omit<ComponentProps<typeof ConfirmDelete<unknown>>, 'opened' | 'onClose'>

interface DeleteButtonProps extends Question, Pick<ActionButtonProps, 'variant' | 'size' | 'aria-label' | 'children'> {
  icon?: ActionButtonProps['icon']
}

/** A button that deletes something once `ConfirmDelete` is confirmed. */
export function DeleteButton({ icon = IconTrash, variant = 'subtle', children, ...props }: DeleteButtonProps) {
  const { size, 'aria-label': label, ...question } = props
  const [isOpen, setOpen] = useState(false)
  const look = { variant, color: 'red', icon, ...(size && { size }), ...(label && { 'aria-label': label }) }
  return (
    <>
      <ActionButton {...look} onClick={() => setOpen(true)}>
        {children}
      </ActionButton>
      <ConfirmDelete {...question} opened={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
