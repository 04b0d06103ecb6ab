import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDownload, IconLifebuoy } from '@tabler/icons-react'
import { useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import { Section } from '../page-parts.tsx'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session-store.ts'
import { StatusBadge } from '../status-badge.tsx'
import { useAction } from '../use-action.ts'
import { codeFile } from './recovery-code-file.ts'

interface RecoveryProps {
  /** Name of the service, such as `Sites`. */
  service: string
  /** Codes that were not used yet. */
  left: number
  /** Makes new codes in place of all old ones. */
  create: () => Promise<{ codes: string[] }>
  /** Cached answers to read again after that. */
  renew: readonly (readonly unknown[])[]
}

/** The number of recovery codes left, with a button that makes new ones. */
export function RecoverySection({ service, left, create, renew }: RecoveryProps) {
  const [codes, setCodes] = useState<readonly string[]>()
  const make = useAction<void, { codes: string[] }>({
    run: create,
    renew,
    onDone: (made) => setCodes(made.codes),
  })
  return (
    <Section
      title="Recovery codes"
      actions={
        <Button
          variant="default"
          leftSection={<IconLifebuoy size={16} aria-hidden />}
          loading={make.isPending}
          onClick={() => make.mutate()}
        >
          {left === 0 ? 'Make recovery codes' : 'Make new codes'}
        </Button>
      }
    >
      <Group gap="sm" align="baseline">
        <CodesLeft left={left} />
        <Text c="dimmed" flex="1 1 260px">
          Each signs you in once when password and passkeys are lost. New codes take the place of all old ones.
        </Text>
      </Group>
      {codes !== undefined && <RecoveryCodes codes={codes} service={service} onClose={() => setCodes(undefined)} />}
    </Section>
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
