import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { answer, FormDialog, Section, StatusBadge, useSession } from '@hearth/ui'
import { useForm } from '@mantine/form'
import { IconLock, IconLockOpen2, IconUserEdit } from '@tabler/icons-react'
import { useState } from 'react'
import { api, type Settings, type SettingsAnswer } from '../api.ts'
import { AccountFields, type AccountValues, checkAccount, noAccount } from './account-fields.tsx'
import { useSaveSettings } from './settings-group.tsx'

type Dialog = 'on' | 'off' | 'account'

/** Whether one has to sign in, turned on with the account in the same step. */
export function SignInCard({ settings }: { settings: Settings }) {
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
            : 'Whoever reaches this address may use and change everything. Before it is reached from elsewhere, turn sign-in on.'}
        </Text>
        <Group gap="xs">
          {isOn ? (
            <>
              <Button
                variant="default"
                leftSection={<IconUserEdit size={16} aria-hidden />}
                onClick={() => setDialog('account')}
              >
                Change account
              </Button>
              <Button
                variant="default"
                leftSection={<IconLockOpen2 size={16} aria-hidden />}
                onClick={() => setDialog('off')}
              >
                Turn sign-in off
              </Button>
            </>
          ) : (
            <Button leftSection={<IconLock size={16} aria-hidden />} onClick={() => setDialog('on')}>
              Turn sign-in on
            </Button>
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
        {isOn ? 'Every session ends, this one too.' : 'Choose the account. You sign in with it right away.'}
      </Text>
      <AccountFields form={form} />
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
