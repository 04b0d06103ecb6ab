import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import {
  answer,
  FormDialog,
  PortalConnectionSection,
  Section,
  SignInMethods,
  StatusBadge,
  useSession,
} from '@hearth/ui'
import { useForm, type FormErrors } from '@mantine/form'
import { IconLock, IconLockOpen2, IconUserEdit } from '@tabler/icons-react'
import { useState } from 'react'
import { api, portalConnection, readNeighbours, type Settings, type SettingsAnswer, signInMethods } from '../api.ts'
import { ActionButton } from '../buttons.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { MediaTokens, useHasTokens } from './own-tokens.tsx'
import { SettingsGroup, useSaveSettings, type SettingField } from './settings-group.tsx'

const sessions: readonly SettingField[] = [
  {
    name: 'session_idle_minutes',
    label: 'Sign out after',
    description: '1 to 1440 minutes without use. After a day everyone signs in again.',
    unit: 'min',
  },
]

const sharing: readonly SettingField[] = [
  {
    name: 'share_link_max_uses',
    label: 'Uses of a new link',
    description: 'Up to 10,000 downloads.',
    unit: 'uses',
    zero: 'without limit',
  },
  {
    name: 'share_link_expire_days',
    label: 'A new link ends after',
    description: 'Up to 365 days.',
    unit: 'days',
    zero: 'never',
  },
  {
    name: 'public_hostname',
    label: 'Public host name',
    description: 'As links begin with it, without scheme and port. Empty takes the address this page is opened with.',
    placeholder: 'media.example.org',
  },
]

/** Settings of sign-in and share links. */
export function AccessSettings({ settings }: { settings: Settings }) {
  return (
    <>
      <SignInCard settings={settings} />
      <SettingsGroup title="Session length" settings={settings} fields={sessions} />
      {settings.enable_authentication && (
        <>
          <SignInMethods api={signInMethods} service="Media" />
          <PortalConnectionSection api={portalConnection} neighbours={readNeighbours} />
          <MediaTokens />
          <OwnSessions />
        </>
      )}
      <SettingsGroup title="Sharing" settings={settings} fields={sharing} />
    </>
  )
}

type Dialog = 'on' | 'off' | 'account'

/** Switch for sign-in, which sets the account in the same step. */
function SignInCard({ settings }: { settings: Settings }) {
  const { user } = useSession()
  const [dialog, setDialog] = useState<Dialog>()
  const isOn = settings.enable_authentication
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Sign-in"
      actions={isOn ? <StatusBadge tone="good">On</StatusBadge> : <StatusBadge tone="warn">Off</StatusBadge>}
    >
      <Stack gap="sm">
        <Text c="dimmed" maw={560}>
          {isOn
            ? `Signed in as ${user.username}. There is one account; scripts use it too.`
            : 'Whoever reaches this address may use and change everything. Before it is reached from elsewhere, turn sign-in on; passkeys and recovery codes come with it.'}
        </Text>
        <Group gap="xs">
          {isOn ? (
            <>
              <ActionButton icon={IconUserEdit} onClick={() => setDialog('account')}>
                Change account
              </ActionButton>
              <ActionButton icon={IconLockOpen2} onClick={() => setDialog('off')}>
                Turn sign-in off
              </ActionButton>
            </>
          ) : (
            <ActionButton icon={IconLock} variant="filled" onClick={() => setDialog('on')}>
              Turn sign-in on
            </ActionButton>
          )}
        </Group>
      </Stack>
      <AccountDialog opened={dialog === 'on' || dialog === 'account'} isOn={isOn} onClose={close} />
      <TurnOff opened={dialog === 'off'} onClose={close} />
    </Section>
  )
}

/** Sets the account, and turns sign-in on when it is off; everybody signs in anew afterwards. */
function AccountDialog({ opened, isOn, onClose }: { opened: boolean; isOn: boolean; onClose: () => void }) {
  const form = useForm<AccountValues>({ initialValues: noAccount, validate: checkAccount })
  const methods = useHasTokens() ? 'passkeys, recovery codes and API tokens' : 'passkeys and recovery codes'
  return (
    <FormDialog<AccountValues, SettingsAnswer>
      opened={opened}
      onClose={onClose}
      title={isOn ? 'Change account' : 'Turn sign-in on'}
      form={form}
      submitLabel={isOn ? 'Change account' : 'Turn on'}
      submit={({ admin_username, admin_password }) =>
        answer(
          api.POST('/api/settings', {
            body: { admin_username, admin_password, ...(isOn ? {} : { enable_authentication: true }) },
          }),
        )
      }
      onDone={({ redirect }) => redirect !== undefined && window.location.assign(redirect)}
    >
      <Text size="sm" c="dimmed">
        {isOn
          ? `Every session ends, this one too; ${methods} go.`
          : 'Choose the account. You sign in with it right away.'}
      </Text>
      <TextInput
        label="User name"
        autoComplete="username"
        autoCapitalize="none"
        {...form.getInputProps('admin_username')}
      />
      <PasswordInput
        label="Password"
        description="At least 8 characters; a few unrelated words are better than one clever one"
        autoComplete="new-password"
        {...form.getInputProps('admin_password')}
      />
      <PasswordInput label="Password again" autoComplete="new-password" {...form.getInputProps('again')} />
    </FormDialog>
  )
}

function TurnOff({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const save = useSaveSettings()
  return (
    <Modal opened={opened} onClose={onClose} title="Turn sign-in off?">
      <Stack>
        <Text>
          Whoever reaches this address may then use and change everything. After the next start the service listens
          beyond this machine only if its settings allow that.
        </Text>
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep it on
          </Button>
          <Button
            color="red"
            loading={save.isPending}
            onClick={() => save.mutate({ enable_authentication: false }, { onSuccess: onClose })}
          >
            Turn off
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/** Name and password of the one account. */
type AccountValues = { admin_username: string; admin_password: string; again: string }

const noAccount: AccountValues = { admin_username: '', admin_password: '', again: '' }

/** Checks an account before it is sent; returns the problem. */
function checkAccount({ admin_username: name, admin_password: password, again }: AccountValues): FormErrors {
  return {
    ...(/^[\w-]{1,64}$/.test(name) ? {} : { admin_username: 'Letters, digits, underscores and hyphens, 64 at most' }),
    ...(password.length >= 8 ? {} : { admin_password: 'Needs at least 8 characters' }),
    ...(again === password ? {} : { again: 'Does not match the password' }),
  }
}
