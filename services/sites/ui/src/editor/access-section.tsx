import { Alert, Text, Title } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from 'wouter'
import { blankForwardAuth } from './blank-draft.ts'
import { ListField, PartSwitch, SelectField, SwitchField, TextField, useEditing } from './fields.tsx'
import { RowList } from './row-list.tsx'
import { SignInFields } from './sign-in-fields.tsx'
import { reachNames } from '../vpn/link-words.ts'
import { useVpnLink } from '../vpn/read-link.ts'

const reachOptions = Object.entries(reachNames).map(([value, label]) => ({ value, label }))

/** Fields that restrict access: from where the site is reached, sign-in at the portal, users with passwords, forward authentication, networks, robots. */
export function AccessSection() {
  return (
    <>
      <ReachField />
      <Title order={3}>Sign-in</Title>
      <SignInFields />
      <Title order={3}>Users with passwords</Title>
      <UserRows />
      <Title order={3}>Sign-in by another server</Title>
      <ForwardAuthFields />
      <Title order={3}>Networks and robots</Title>
      <div className="field-columns">
        <ListField
          path="access.allow"
          label="Allowed networks"
          placeholder="192.168.0.0/16"
          description="With any here, all others get 403"
        />
        <ListField path="access.deny" label="Refused networks" placeholder="203.0.113.0/24" />
      </div>
      <SwitchField path="access.noindex" label="Ask search engines to leave the site out" />
      <SwitchField path="access.block_bots" label="Refuse crawlers that say what they are" />
    </>
  )
}

function ReachField() {
  const { draft } = useEditing()
  const { data: link } = useVpnLink()
  const isClosed =
    link !== undefined &&
    draft.reach !== 'everyone' &&
    link.tunnels.length === 0 &&
    (draft.reach === 'tunnel' || link.home_networks.length === 0)
  return (
    <>
      <SelectField
        path="reach"
        label="Reachable by"
        options={reachOptions}
        description="Visitors from elsewhere get a page that says so, before anything else of the site"
      />
      {isClosed && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Closed for now">
          It is not known yet which networks these are. <Link href="/settings/vpn">Set them up</Link> first.
        </Alert>
      )}
      {draft.kind === 'portal' && draft.reach !== 'everyone' && (
        <Text size="sm" c="dimmed">
          Nobody from elsewhere can sign in then, so sites with a sign-in stay closed to them too.
        </Text>
      )}
    </>
  )
}

function UserRows() {
  const { base } = useEditing()
  const stored = new Set(base.basic_auth.map(({ username }) => username))
  return (
    <RowList
      path="basic_auth"
      noun="user"
      addLabel="Add a user"
      blank={{ username: '', password: '' }}
      max={64}
      empty="Everyone may visit without a password."
      render={(row, place) => <UserRow path={row} place={place} stored={stored} />}
    />
  )
}

function UserRow({ path, place, stored }: { path: string; place: number; stored: ReadonlySet<string> }) {
  const { draft } = useEditing()
  const isStored = stored.has(draft.basic_auth[place]?.username ?? '')
  return (
    <div className="field-columns">
      <TextField path={`${path}.username`} label={`User name ${place + 1}`} />
      <TextField
        path={`${path}.password`}
        label={`Password ${place + 1}`}
        isSecret
        placeholder={isStored ? 'stays as it is' : '8 to 72 characters'}
      />
    </div>
  )
}

function ForwardAuthFields() {
  const { draft } = useEditing()
  return (
    <>
      <PartSwitch
        path="forward_auth"
        blank={blankForwardAuth}
        label="Let another server check each request"
        description="Such as Authelia, authentik or oauth2-proxy"
      />
      {draft.forward_auth !== null && (
        <div className="field-inset">
          <TextField path="forward_auth.url" label="Deciding server" placeholder="http://192.168.1.9:9091" isMono />
          <TextField path="forward_auth.uri" label="Path of the check" placeholder="/api/authz/forward-auth" isMono />
          <ListField
            path="forward_auth.copy_headers"
            label="Headers of its answer the site gets"
            placeholder="Remote-User"
            max={32}
          />
        </div>
      )}
    </>
  )
}
