import { Alert, Button, Code, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { describeError, Problem, Section } from '@hearth/ui'
import { IconPlugConnectedX, IconRefresh } from '@tabler/icons-react'
import { useForm } from '@mantine/form'
import { IconButton } from '../controls/icon-button.tsx'
import type { Onboarding, OnboardResult } from '../api.ts'
import { describeReach } from '../servers/node-words.ts'
import { isDecisionWanted, useOnboard } from './use-onboard.ts'

/** No Caddy answers yet: says where one is. */
export function ConnectStep(props: {
  state: Onboarding
  onLookAgain: () => void
  isLooking: boolean
  onDone: (result: OnboardResult) => void
}) {
  const { state, onLookAgain, isLooking, onDone } = props
  const onboard = useOnboard(onDone)
  const form = useForm({
    initialValues: { admin_url: state.admin_url ?? 'http://localhost:2019' },
    validate: { admin_url: (value) => (value.trim() === '' ? 'Required' : null) },
  })
  const problem = onboard.error === null || isDecisionWanted(onboard.error) ? undefined : describeError(onboard.error)
  const lookAgain = (
    <IconButton icon={IconRefresh} loading={isLooking} onClick={onLookAgain}>
      Look again
    </IconButton>
  )
  return (
    <Section title="Where is Caddy?">
      <Stack>
        <Alert color="yellow" variant="light" icon={<IconPlugConnectedX aria-hidden />} title="No Caddy answers">
          <p className="alert-text">
            {state.error === null ? 'Nothing is known about its admin endpoint yet.' : describeReach(state.error)}
          </p>
        </Alert>
        {state.is_own ? (
          <>
            <OwnCaddyHelp />
            <Group>{lookAgain}</Group>
          </>
        ) : (
          <form onSubmit={form.onSubmit(({ admin_url }) => onboard.mutate({ admin_url: admin_url.trim() }))} noValidate>
            <Stack>
              <Problem text={problem} />
              <TextInput
                label="Admin endpoint"
                description={
                  <>
                    Of this machine or a private network: <Code>http://localhost:2019</Code>, or the path of its socket,{' '}
                    <Code>unix//run/caddy/admin.sock</Code>
                  </>
                }
                spellCheck={false}
                autoCapitalize="none"
                required
                {...form.getInputProps('admin_url')}
              />
              <Group>
                <Button type="submit" loading={onboard.isPending}>
                  Connect
                </Button>
                {lookAgain}
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Section>
  )
}

function OwnCaddyHelp() {
  return (
    <div>
      <Text>This service runs its own Caddy, and that one does not run. What often helps:</Text>
      <List size="sm" mt="xs" spacing={4}>
        <List.Item>Caddy is installed: “apt install caddy”, or CADDY_PATH names the program.</List.Item>
        <List.Item>Nobody else uses its ports; CADDY_HTTP_PORT and CADDY_HTTPS_PORT choose others.</List.Item>
        <List.Item>The log of this service says why Caddy ended.</List.Item>
      </List>
    </div>
  )
}
