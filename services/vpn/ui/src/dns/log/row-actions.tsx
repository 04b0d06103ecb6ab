import type { DnsQuery } from '../../api.ts'
import { Button, type ButtonProps, Menu } from '@mantine/core'
import { IconBan, IconCheck, IconChevronDown, IconHelpCircle, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import type { RuleWish } from '../rules/use-rule-actions.ts'

/** What can be done from a row of the log. */
export interface LogActions {
  make(rule: RuleWish): void
  edit(rule: RuleWish): void
  ask(question: { domain: string; client: string }): void
}

/** Block or allow from a row, for its peer or for everyone. The menu is made when it is first opened: there are many rows. */
export function RowActions({ query, actions }: { query: DnsQuery; actions: LogActions }) {
  const [wasOpened, setOpened] = useState(false)
  const action = query.status === 'blocked' ? 'allow' : 'block'
  const verb = action === 'allow' ? 'Allow' : 'Block'
  const label = `${verb} ${query.domain}`
  if (!wasOpened) return <Trigger verb={verb} aria-label={label} aria-haspopup="menu" onClick={() => setOpened(true)} />
  const { domain, client } = query
  const icon = action === 'allow' ? <IconCheck size={16} aria-hidden /> : <IconBan size={16} aria-hidden />
  const whom = client ?? ''
  return (
    <Menu position="bottom-end" defaultOpened>
      <Menu.Target>
        <Trigger verb={verb} aria-label={label} />
      </Menu.Target>
      <Menu.Dropdown>
        {client !== null && (
          <Menu.Item leftSection={icon} onClick={() => actions.make({ action, domain, client })}>
            {verb} for {client}
          </Menu.Item>
        )}
        <Menu.Item leftSection={icon} onClick={() => actions.make({ action, domain, client: null })}>
          {verb} for everyone
        </Menu.Item>
        <Menu.Item
          leftSection={<IconPencil size={16} aria-hidden />}
          onClick={() => actions.edit({ action, domain, client })}
        >
          {verb} with a rule you write…
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconHelpCircle size={16} aria-hidden />}
          onClick={() => actions.ask({ domain, client: whom })}
        >
          Why was it {query.status}?
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function Trigger({ verb, ...rest }: { verb: string } & ButtonProps & React.ComponentPropsWithRef<'button'>) {
  return (
    <Button {...rest} variant="default" size="compact-sm" rightSection={<IconChevronDown size={12} aria-hidden />}>
      {verb}
    </Button>
  )
}
