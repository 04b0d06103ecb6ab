import { Alert } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useSession } from '@hearth/ui'
import { IconLockOpen2 } from '@tabler/icons-react'
import { Link } from 'wouter'

/** Says that nobody has to sign in, until somebody knows it. */
export function OpenNotice() {
  const { is_open: isOpen = false } = useSession()
  const [isKnown, setKnown] = useLocalStorage({
    key: 'hearth-media-open-known',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  if (!isOpen || isKnown) return null
  return (
    <Alert
      className="notice-banner"
      color="accent"
      variant="light"
      icon={<IconLockOpen2 aria-hidden />}
      withCloseButton
      closeButtonLabel="I know"
      onClose={() => setKnown(true)}
    >
      <p>
        Sign-in is off: whoever reaches this address may use and change everything.{' '}
        <Link className="hearth-link" href="/settings?tab=access">
          Turn sign-in on
        </Link>
      </p>
    </Alert>
  )
}
