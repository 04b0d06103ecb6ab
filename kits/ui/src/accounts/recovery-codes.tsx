import { useForm } from '@mantine/form'
import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDownload, IconLifebuoy } from '@tabler/icons-react'
import { useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { FormDialog } from '../form-dialog.tsx'
import { Section } from '../page-parts.tsx'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session-store.ts'
import { StatusBadge } from '../status-badge.tsx'
import { useAction } from '../use-action.ts'
import { CurrentPassword, passwordRequired } from './current-password.tsx'
import { atCurrentPassword } from './password-fields.tsx'
import { codeFile } from './recovery-code-file.ts'

interface RecoveryProps {
  /** Name of the service, such as `Sites`. */
  service: string
  /** Codes that were not used yet. */
  left: number
  /** A dialog asks for the current password, which `create` then gets; otherwise it gets an empty one. */
  needsPassword?: boolean
  /** Makes new codes in place of all old ones. */
  create: (password: string) => Promise<{ codes: string[] }>
  /** Cached answers to read again after that. */
  renew: readonly (readonly unknown[])[]
}

/** The number of recovery codes left, with a button that makes new ones. */
export function RecoverySection({ service, left, needsPassword = false, create, renew }: RecoveryProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const [isAsking, setAsking] = useState(false)
  const make = useAction<void, { codes: string[] }>({
    run: () => create(''),
    renew,
    onDone: (made) => setCodes(made.codes),
  })
  const verb = left === 0 ? 'Make recovery codes' : 'Make new codes'
  return (
    <Section
      title="Recovery codes"
      actions={
        <Button
          variant="default"
          leftSection={<IconLifebuoy size={16} aria-hidden />}
          loading={make.isPending}
          onClick={() => (needsPassword ? setAsking(true) : make.mutate())}
        >
          {verb}
        </Button>
      }
    >
      <Group gap="sm" align="baseline">
        <CodesLeft left={left} />
        <Text c="dimmed" flex="1 1 260px">
          Each signs you in once when password and passkeys are lost. New codes take the place of all old ones.
        </Text>
      </Group>
      {isAsking && (
        <AskPassword title={verb} create={create} renew={renew} onMade={setCodes} onClose={() => setAsking(false)} />
      )}
      {codes !== undefined && <RecoveryCodes codes={codes} service={service} onClose={() => setCodes(undefined)} />}
    </Section>
  )
}

interface AskPasswordProps extends Pick<RecoveryProps, 'create' | 'renew'> {
  title: string
  onMade: (codes: readonly string[]) => void
  onClose: () => void
}

/** Makes the codes once the password is given. */
function AskPassword({ title, create, renew, onMade, onClose }: AskPasswordProps) {
  const form = useForm({ initialValues: { current_password: '' }, validate: { current_password: passwordRequired } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={title}
      submitLabel="Make codes"
      form={form}
      submit={({ current_password: password }) =>
        create(password).catch((error: unknown) => {
          throw atCurrentPassword(error)
        })
      }
      onDone={({ codes }) => onMade(codes)}
      renew={renew}
    >
      <CurrentPassword form={form} hasFocus />
    </FormDialog>
  )
}

function CodesLeft({ left }: { left: number }) {
  if (left === 0) return <StatusBadge tone="warn">None</StatusBadge>
  return <StatusBadge tone={left < 4 ? 'warn' : 'good'}>{left} left</StatusBadge>
}

/** Shows new codes, this once; closes when somebody says that they are kept. */
function RecoveryCodes(props: { codes: readonly string[]; service: string; onClose: () => void }) {
  const { codes, service, onClose } = props
  const { username } = useSession().user
  const [isKept, setKept] = useState(false)
  const text = codeFile(codes, { username, service, address: window.location.origin })
  return (
    <Modal
      opened
      onClose={() => isKept && onClose()}
      title="Your recovery codes"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text>They are shown only now. Keep them where you find them without this device.</Text>
        <ul className="hearth-recovery-codes" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <CopyButton text={text}>Copy</CopyButton>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile(`hearth-${service.toLowerCase()}-recovery-codes.txt`, text)}
          >
            Download
          </Button>
        </Group>
        <Checkbox
          label="I have kept the codes"
          checked={isKept}
          onChange={(event) => setKept(event.currentTarget.checked)}
        />
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button disabled={!isKept} onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
