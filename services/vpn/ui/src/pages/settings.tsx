import {
  answer,
  BackupSection,
  changedValues,
  LoadingLines,
  NotificationsLink,
  PageHeader,
  PortalConnectionSection,
  QueryState,
  Section,
  SettingsForm,
} from '@hearth/ui'
import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconFileCode } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, keys, portalConnection, readNeighbours, readSettings, type Settings } from '../api.ts'
import { EndpointField, usePublicEndpoint } from '../endpoint/endpoint-field.tsx'
import { settingsSections, type SettingsValues } from '../settings/settings-sections.ts'

/** Settings page; administrators only. */
export function SettingsPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: readSettings })
  return (
    <>
      <PageHeader
        title="Settings"
        description="They apply to the whole service; existing peers keep their own values."
        actions={
          <>
            <Button
              component={Link}
              href="/settings/as-code"
              variant="default"
              leftSection={<IconFileCode size={16} aria-hidden />}
            >
              As code
            </Button>
            <NotificationsLink />
          </>
        }
      />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && (
        <div className="hearth-stack">
          <Form key={JSON.stringify(settings.data)} settings={settings.data} />
          <Portal />
          <Backups />
        </div>
      )}
    </>
  )
}

function Portal() {
  return (
    <div className="settings-form">
      <PortalConnectionSection api={portalConnection} neighbours={readNeighbours} />
    </div>
  )
}

function Backups() {
  return (
    <div className="settings-form">
      <BackupSection
        read={async () => (await answer(api.GET('/api/backups'))).data}
        run={async () => (await answer(api.POST('/api/backups'))).data}
      />
    </div>
  )
}

function Form({ settings }: { settings: Settings }) {
  const form = useForm<SettingsValues>({ initialValues: { ...settings } })
  const endpoint = usePublicEndpoint()
  const changes = changedValues(form.getValues(), settings)
  return (
    <SettingsForm
      form={form}
      changes={changes}
      save={() => answer(api.PUT('/api/settings', { body: changes }))}
      renew={[keys.settings, keys.peers]}
      sections={settingsSections}
    >
      <Section title="How devices reach this server">
        {endpoint.data === undefined ? (
          <LoadingLines lines={2} />
        ) : (
          <EndpointField
            input={form.getInputProps('public_endpoint')}
            value={form.getValues().public_endpoint}
            known={endpoint.data}
            onChoose={(host) => form.setFieldValue('public_endpoint', host)}
          />
        )}
      </Section>
    </SettingsForm>
  )
}
