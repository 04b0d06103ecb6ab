import { Button, Divider, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import { ApiError, describeError, Problem, useSession, useSessionStore } from '@hearth/ui'
import { IconFingerprint } from '@tabler/icons-react'
import { type SubmitEvent, useState, useSyncExternalStore } from 'react'
import { confirmation, readSession, type Session, ways } from '../api.ts'
import { describeCeremony } from '../passkeys/ceremony-words.ts'
import { finishPasskeySignIn, startPasskeySignIn } from '../passkeys/passkey-sign-in.ts'
import { passkeyObstacle } from '../passkeys/passkey-support.ts'
import { text } from '../sign-in/password-way.tsx'
import { useTrouble } from '../sign-in/use-wait.ts'

/** The question whether whoever sits here is who is signed in; opens when a call needs it, and then lets the call go on. */
export function ConfirmIdentity() {
  const isOpen = useSyncExternalStore(confirmation.subscribe, confirmation.isOpen)
  return (
    <Modal opened={isOpen} onClose={() => confirmation.settle(false)} title="Confirm that it is you" zIndex={400}>
      {isOpen && <ConfirmForm />}
    </Modal>
  )
}

function ConfirmForm() {
  const { user } = useSession()
  const confirm = useConfirm()
  const [wrong, setWrong] = useState<string>()
  const byPassword = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const password = text(new FormData(event.currentTarget), 'password')
    setWrong(undefined)
    void confirm.by('password', async () => {
      await ways.post<Session>('/api/session/reauthenticate', { password }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.kind !== 'wrong_password') throw error
        setWrong('Is not your password')
      })
    })
  }
  return (
    <form onSubmit={byPassword}>
      <Stack>
        <Text>This changes who may come in, so it is asked for once more. The answer counts for five minutes.</Text>
        <Problem text={confirm.trouble.text} />
        <input type="text" name="username" autoComplete="username" value={user.username} readOnly hidden />
        <PasswordInput
          label="Your password"
          name="password"
          autoComplete="current-password"
          error={wrong}
          required
          data-autofocus
        />
        <Group justify="flex-end" className="hearth-dialog-actions">
          <Button variant="default" onClick={() => confirmation.settle(false)}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.busy === 'password'} disabled={confirm.trouble.mustWait}>
            Confirm
          </Button>
        </Group>
        {passkeyObstacle() === undefined && (
          <>
            <Divider label="or" labelPosition="center" />
            <Button
              variant="default"
              leftSection={<IconFingerprint size={18} aria-hidden />}
              loading={confirm.busy === 'passkey'}
              disabled={confirm.trouble.mustWait}
              onClick={() =>
                void confirm.by('passkey', async () => finishPasskeySignIn(ways, await startPasskeySignIn(ways)))
              }
            >
              Confirm with a passkey
            </Button>
          </>
        )}
      </Stack>
    </form>
  )
}

type Way = 'password' | 'passkey'

function useConfirm() {
  const { user } = useSession()
  const store = useSessionStore()
  const trouble = useTrouble()
  const [busy, setBusy] = useState<Way>()
  const by = async (way: Way, prove: () => Promise<unknown>) => {
    setBusy(way)
    trouble.clear()
    try {
      await prove()
      const session = await readSession()
      // A passkey of somebody else signs that one in; what was asked for is not theirs to do.
      const isSame = session.user.id === user.id
      if (!isSame) await store.load()
      if (!isSame || session.recent_until !== null) confirmation.settle(isSame)
    } catch (error) {
      trouble.note(error, way === 'passkey' ? describeCeremony : describeError)
    }
    setBusy(undefined)
  }
  return { by, busy, trouble }
}
