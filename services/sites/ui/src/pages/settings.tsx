import { Button, Group, Stack, TextInput } from '@mantine/core'
import { answer, BackupSection, NotificationsLink, PageHeader, QueryState, Section, SettingsForm } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconShieldLock } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, keys, type Settings } from '../api.ts'
import { ExternalAccountsSection } from '../settings/external-accounts-section.tsx'
import { settingsSections } from '../settings/settings-sections.ts'
import { changedSettings, rebasedValues, type SettingsValues, settingsValues } from '../settings/settings-values.ts'
import { SslLabsSection } from '../settings/ssl-labs-section.tsx'

/** Settings of the service and of all sites; administrators only. */
export function SettingsPage() {
  const settings = useQuery({ queryKey: keys.settings, queryFn: () => answer(api.GET('/api/v1/settings')) })
  return (
    <>
      <PageHeader
        title="Settings"
        description="They apply to all sites, unless a site overrides them."
        actions={
          <Group gap="xs">
            <Button
              component={Link}
              href="/settings/vpn"
              variant="default"
              leftSection={<IconShieldLock size={16} aria-hidden />}
            >
              Inside and outside
            </Button>
            <NotificationsLink />
          </Group>
        }
      />
      <QueryState query={settings} lines={8} />
      {settings.data !== undefined && <Forms settings={settings.data} />}
    </>
  )
}

function Forms({ settings }: { settings: Settings }) {
  const form = useForm<SettingsValues>({ initialValues: settingsValues(settings) })
  const [known, setKnown] = useState(settings)
  // Others may save something while somebody types here.
  if (known !== settings) {
    form.setInitialValues(settingsValues(settings))
    form.setValues(rebasedValues(form.getValues(), { before: known, now: settings }))
    setKnown(settings)
  }
  const changes = changedSettings(form.getValues(), settings)
  const save = async () => {
    await answer(api.PATCH('/api/v1/settings', { body: changes }))
    return { message: 'Settings saved' }
  }
  return (
    <div className="hearth-stack">
      <SettingsForm form={form} changes={changes} save={save} renew={[keys.settings]} sections={settingsSections}>
        <Section title="Certificates">
          <Stack>
            <TextInput
              label="E-mail for certificates"
              description="The certificate authority writes here when something is wrong with one. May be empty."
              type="email"
              placeholder="you@example.org"
              {...form.getInputProps('acme_email')}
            />
            <TextInput
              label="Certificate authority"
              description="Address of its ACME directory. Empty for Let’s Encrypt. Some need an external account, see below."
              type="url"
              placeholder="https://acme-v02.api.letsencrypt.org/directory"
              {...form.getInputProps('acme_ca')}
            />
          </Stack>
        </Section>
      </SettingsForm>
      <div className="settings-form">
        <ExternalAccountsSection directory={settings.acme_ca} />
      </div>
      <div className="settings-form">
        <SslLabsSection details={settings.ssllabs} />
      </div>
      <div className="settings-form">
        <BackupSection
          read={() => answer(api.GET('/api/v1/backups'))}
          run={() => answer(api.POST('/api/v1/backups'))}
        />
      </div>
    </div>
  )
}
