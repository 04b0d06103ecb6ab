import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ComponentType } from 'react'

/** An entry of a row's menu; one that deletes is red. */
interface RowMenuEntry {
  readonly label: string
  readonly icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>
  readonly onClick: () => void
  readonly isDestructive?: boolean
}

/** Menu at the end of a row. */
export function RowMenu({ label, entries }: { label: string; entries: readonly RowMenuEntry[] }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={label}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {entries.map(({ label: text, icon: Icon, onClick, isDestructive = false }) => (
          <Menu.Item
            key={text}
            {...(isDestructive ? { c: 'var(--hearth-bad)' } : {})}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={onClick}
          >
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
