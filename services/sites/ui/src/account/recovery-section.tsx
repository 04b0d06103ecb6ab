import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core'
import { answer, CopyButton, saveFile, Section, StatusBadge, useAction } from '@hearth/ui'
import { IconDownload, IconLifebuoy } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Session } from '../api.ts'
import { codeFile } from './code-file.ts'

/** How many recovery codes are left, and a way to new ones. */
export function RecoverySection({ session }: { session: Session }) {
  const [codes, setCodes] = useState<readonly string[]>()
  const { recovery_codes_left: left } = session
  const make = useAction<void, { codes: string[] }>({
    run: () => answer(api.POST('/api/session/recovery-codes')),
    renew: [keys.account],
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
      {codes !== undefined && (
        <RecoveryCodes codes={codes} username={session.user.username} onClose={() => setCodes(undefined)} />
      )}
    </Section>
  )
}

function CodesLeft({ left }: { left: number }) {
  if (left === 0) return <StatusBadge tone="warn">None</StatusBadge>
  return <StatusBadge tone={left < 4 ? 'warn' : 'good'}>{left} left</StatusBadge>
}

/** Shows new codes, this once; closes when somebody says that they are kept. */
export function RecoveryCodes(props: { codes: readonly string[]; username: string; onClose: () => void }) {
  const { codes, username, onClose } = props
  const [isKept, setKept] = useState(false)
  const text = codeFile(codes, { username, service: window.location.origin })
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
        <ul className="recovery-codes" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <CopyButton text={text}>Copy</CopyButton>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile('hearth-sites-recovery-codes.txt', text)}
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
