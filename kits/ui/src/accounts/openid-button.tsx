import { Button, Divider } from '@mantine/core'
import { IconId } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { SignInFailure } from '../sign-in-failure.ts'
import { describeOpenIdFailure, splitOpenIdFailure } from './openid-failures.ts'
import { openIdAddress } from './openid-sign-in.tsx'

interface OpenIdButtonProps {
  path: string
  name: string
  failure: SignInFailure
  isDivided: boolean
}

/** Link to the provider, and the sentence about a sign-in there that failed. In a file of its own, because most have no provider. */
export function OpenIdButton({ path, name, failure, isDivided }: OpenIdButtonProps) {
  const note = useRef(failure.note)
  useEffect(() => {
    const { code, address } = splitOpenIdFailure(window.location.href)
    if (code === undefined) return
    window.history.replaceState(window.history.state, '', address)
    const text = describeOpenIdFailure(code)
    if (text !== undefined) note.current(code, () => text)
  }, [])
  return (
    <>
      {isDivided && <Divider label="or" labelPosition="center" />}
      <Button
        component="a"
        href={openIdAddress(path)}
        variant="default"
        leftSection={<IconId size={18} aria-hidden />}
        fullWidth
      >
        Sign in with {name}
      </Button>
    </>
  )
}
