import {
  answer,
  BackupSection,
  changedValues,
  Fact,
  NotificationsLink,
  PageHeader,
  PasswordDialog,
  PortalConnectionSection,
  QueryState,
  Section,
  SettingsForm,
  type SettingsSection,
  SignInMethods,
  useSession,
} from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconPassword } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  api,
  type GatewaySettings,
  keys,
  portalConnection,
  readNeighbours,
  readSettings,
  saveSettings,
  type SettingsView,
  signInMethods,
} from '../api.ts'
import { OwnSessions } from '../own-sessions.tsx'
import { IconButton } from '../page-elements.tsx'

/** Settings of the whole service. */
export function SettingsPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  return (
    <>
      <PageHeader title="Settings" actions={<NotificationsLink />} />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && (
        <div className="hearth-stack settings-form">
          <LiveForm key={settings.data.settings.live_interval_seconds} stored={settings.data.settings} />
          <Password />
          <SignInMethods api={signInMethods} service="Inverter" />
          <PortalConnectionSection api={portalConnection} neighbours={readNeighbours} />
          <OwnSessions />
          <BackupSection
            read={() => answer(api.GET('/admin/api/backups'))}
            run={() => answer(api.POST('/admin/api/backups'))}
          />
          <EnvironmentTable facts={settings.data.environment} />
        </div>
      )}
    </>
  )
}

type LiveValues = Record<'live_interval_seconds', number | string>

const sections: readonly SettingsSection<LiveValues>[] = [
  {
    title: 'Live values',
    fields: [
      {
        name: 'live_interval_seconds',
        kind: 'number',
        label: 'Update interval',
        description: '2 to 60 seconds, while a page is open. A shorter interval puts more load on the inverter.',
        suffix: ' s',
      },
    ],
  },
]

function LiveForm({ stored }: { stored: GatewaySettings }) {
  const { live_interval_seconds } = stored
  const form = useForm<LiveValues>({ initialValues: { live_interval_seconds } })
  const values = form.getValues()
  return (
    <SettingsForm
      form={form}
      changes={changedValues(values, { live_interval_seconds })}
      save={() => saveSettings({ ...stored, live_interval_seconds: Number(values.live_interval_seconds) })}
      renew={[keys.settings]}
      sections={sections}
    />
  )
}

function Password() {
  const { user } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <Section
      title="Administrator"
      actions={
        <IconButton icon={IconPassword} onClick={() => setOpen(true)}>
          Change password
        </IconButton>
      }
    >
      <dl className="hearth-facts" data-start>
        <Fact name="User name">{user.username}</Fact>
      </dl>
      {isOpen && <PasswordDialog onClose={() => setOpen(false)} />}
    </Section>
  )
}

/** Settings from the environment; read-only. */
function EnvironmentTable({ facts }: { facts: SettingsView['environment'] }) {
  const yesOrNo = (value: boolean) => (value ? 'Yes' : 'No')
  const proxies = facts.trusted_proxies.length === 0 ? 'none' : facts.trusted_proxies.join(', ')
  const rows = [
    ['Listen address', 'BIND_ADDRESS', `${facts.bind_address}:${facts.bind_port}`],
    ['Public API documentation', 'DOCS_PUBLIC', yesOrNo(facts.docs_public)],
    ['Vendor diagnostics', 'ENABLE_VENDOR_DIAGNOSTICS', yesOrNo(facts.vendor_diagnostics)],
    ['Trusted proxies', 'TRUSTED_PROXIES', proxies],
    ['Client address header', 'FORWARDED_HEADER', facts.forwarded_header],
    ['Requests per minute', 'RATE_LIMIT_PER_MINUTE', facts.requests_per_minute.toLocaleString('en')],
  ]
  return (
    <Section title="Environment variables">
      <p className="hearth-dimmed environment-lead">
        Set when the service starts. Changes take effect after a restart.
      </p>
      <dl className="hearth-facts">
        {rows.map(([name, variable, value]) => (
          <div key={variable}>
            <dt>
              {name} <small className="hearth-mono">{variable}</small>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  )
}
