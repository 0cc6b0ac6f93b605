/** An act on instances as a command. */
import { instances } from '@ingot/contracts/instances'
import type { Command } from '../../ui/CommandBlock.tsx'
import { callText, type CallValues } from '../shell/call-text.ts'

type Call = keyof typeof instances

/** What a call answers, where that is no instance. */
const answers: Partial<Record<Call, string>> = {
  list: '{ items }',
  idleness: 'idleness',
  schedules: '{ items }',
  createSchedule: 'schedule',
  updateSchedule: 'schedule',
}

export const commandsFor = (origin: string, call: Call, values: CallValues): readonly [Command, Command] =>
  callText(
    origin,
    instances[call],
    { call: `instances.${call}`, answer: answers[call] ?? 'instance' },
    values,
  )

/** The first of them alone, for where several acts stand beside each other. */
export const curlFor = (origin: string, call: Call, values: CallValues): string =>
  commandsFor(origin, call, values)[0].text
