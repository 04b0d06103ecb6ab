import { Button, Divider, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core'
import {
  ApiError,
  describeCeremony,
  describeError,
  LoadingLines,
  passkeyObstacle,
  Problem,
  openIdAddress,
  signInWithPasskey,
  useOpenIdProvider,
  useSession,
  useSessionStore,
  useSignInFailure,
} from '@hearth/ui'
import { IconFingerprint } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { confirmation, keys, openIdPath, passkeySignIn, readSession, type Session, ways } from '../api.ts'

/** The dialog of `ConfirmIdentity`, in a file of its own that is loaded when it first opens. */
export function ConfirmDialog({ isOpen }: { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={() => confirmation.settle(false)} title="Confirm that it is you" zIndex={400}>
      {isOpen && <ConfirmForm />}
    </Modal>
  )
}

function ConfirmForm() {
  const account = useQuery({ queryKey: keys.account, queryFn: readSession })
  const confirm = useConfirm()
  if (account.data === undefined && account.error === null) return <LoadingLines lines={3} />
  // Without an answer the password is the better guess: nearly everybody has one.
  const { has_password: hasPassword = true, passkeys = 0 } = account.data ?? {}
  const mayUsePasskey = passkeys > 0 && passkeyObstacle() === undefined
  return (
    <Stack>
      <Text>This action needs a recent confirmation, which is valid for five minutes.</Text>
      <Problem text={confirm.failure.text} />
      {hasPassword && <PasswordProof confirm={confirm} />}
      {hasPassword && mayUsePasskey && <Divider label="or" labelPosition="center" />}
      {mayUsePasskey && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} aria-hidden />}
          loading={confirm.busy === 'passkey'}
          disabled={confirm.failure.mustWait}
          data-autofocus={!hasPassword || undefined}
          onClick={() => void confirm.by('passkey', () => signInWithPasskey(passkeySignIn))}
        >
          Confirm with a passkey
        </Button>
      )}
      {!hasPassword && !mayUsePasskey && <OtherProof />}
    </Stack>
  )
}

/** For those who have neither: the OpenID Connect provider where there is one, which asks for their password. */
function OtherProof() {
  const provider = useOpenIdProvider(openIdPath)
  if (provider === null)
    return (
      <Text>
        {passkeyObstacle() ?? 'You have no passkey.'} Sign out, and in again with a recovery code: that counts too.
      </Text>
    )
  return (
    <>
      <Text>You come back to this page signed in, and can repeat the action.</Text>
      <Button component="a" href={openIdAddress(openIdPath, { again: '1' })} data-autofocus>
        Confirm with {provider}
      </Button>
    </>
  )
}

function PasswordProof({ confirm }: { confirm: ReturnType<typeof useConfirm> }) {
  const { user } = useSession()
  const [wrong, setWrong] = useState<string>()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { password } = Object.fromEntries(new FormData(event.currentTarget))
    setWrong(undefined)
    void confirm.by('password', async () => {
      await ways.post<Session>('/api/session/reauthenticate', { password }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.kind !== 'wrong_password') throw error
        setWrong('Is not your password')
      })
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
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
          <Button type="submit" loading={confirm.busy === 'password'} disabled={confirm.failure.mustWait}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Method = 'password' | 'passkey'

function useConfirm() {
  const { user } = useSession()
  const store = useSessionStore()
  const failure = useSignInFailure()
  const [busy, setBusy] = useState<Method>()
  const by = async (method: Method, prove: () => Promise<unknown>) => {
    setBusy(method)
    failure.clear()
    try {
      await prove()
      const session = await readSession()
      // A passkey of somebody else signs that one in; what was requested is not theirs to do.
      const isSame = session.user.id === user.id
      if (!isSame) await store.load()
      if (!isSame || session.recent_until !== null) confirmation.settle(isSame)
    } catch (error) {
      failure.note(error, method === 'passkey' ? describeCeremony : describeError)
    }
    setBusy(undefined)
  }
  return { by, busy, failure }
}
