/** An act on instances as a command. */
import { instances } from '@ingot/contracts/instances'
import type { Command } from '../../ui/CommandBlock.tsx'
import { callText, type CallValues } from '../shell/call-text.ts'

type Call = keyof typeof instances

export const commandsFor = (origin: string, call: Call, values: CallValues): readonly [Command, Command] =>
  callText(
    origin,
    instances[call],
    { call: `instances.${call}`, answer: call === 'list' ? '{ items }' : 'instance' },
    values,
  )
