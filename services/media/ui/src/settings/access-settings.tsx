import type { Settings } from '../api.ts'
import { NumberField, SettingsGroup, TextField } from './settings-group.tsx'
import { SignInCard } from './sign-in-card.tsx'

/** Who gets in, and what others get by links. */
export function AccessSettings({ settings }: { settings: Settings }) {
  return (
    <>
      <SignInCard settings={settings} />
      <SettingsGroup title="Sessions" settings={settings} names={['session_idle_minutes']}>
        {(form) => (
          <NumberField
            form={form}
            name="session_idle_minutes"
            label="Sign out after"
            description="1 to 1440 minutes without use. After a day everyone signs in again."
            unit="min"
          />
        )}
      </SettingsGroup>
      <SettingsGroup
        title="Sharing"
        settings={settings}
        names={['share_link_max_uses', 'share_link_expire_days', 'public_hostname']}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="share_link_max_uses"
              label="Uses of a new link"
              description="Up to 10,000 downloads."
              unit="uses"
              zero="without limit"
            />
            <NumberField
              form={form}
              name="share_link_expire_days"
              label="A new link ends after"
              description="Up to 365 days."
              unit="days"
              zero="never"
            />
            <TextField
              form={form}
              name="public_hostname"
              label="Public host name"
              description="As links begin with it, without scheme and port. Empty takes the address this page is opened with."
              placeholder="media.example.org"
            />
          </>
        )}
      </SettingsGroup>
    </>
  )
}
