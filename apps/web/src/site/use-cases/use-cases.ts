/** The use cases page: what people rent GPUs for, and what each needs from one. */
import { formatUsd } from '@ingot/contracts/money'
import type { Shown } from '@ingot/contracts/pages'
import { gpuNamed, hourlyOf } from '../cost-of.ts'
import { slugOf } from '../products/products.ts'

export const fieldsOfUse = [
  { id: 'ai-ml', label: 'AI/ML' },
  { id: 'research', label: 'Research' },
  { id: 'automotive', label: 'Automotive' },
  { id: 'finance', label: 'Finance' },
  { id: 'gaming', label: 'Gaming' },
  { id: 'media', label: 'Media' },
  { id: 'retail', label: 'Retail' },
  { id: 'enterprise', label: 'Enterprise' },
] as const
export type UseCaseCategory = (typeof fieldsOfUse)[number]['id']

export interface UseCase {
  readonly title: string
  readonly category: UseCaseCategory
  readonly text: string
  /** What we would start with, and why. */
  readonly gpu: string
  readonly count: number
  readonly why: string
  readonly hasPage?: boolean
}

export const cases: readonly UseCase[] = [
  {
    title: 'AI Model Training',
    category: 'ai-ml',
    text: 'Fine-tune an open model on your own data, or train a smaller one from the start, and stop paying when the loss is flat.',
    gpu: 'A100 80GB',
    count: 1,
    why: 'A 7-billion-parameter model with LoRA needs about 20 GB; 80 GB leaves room for longer sequences.',
    hasPage: true,
  },
  {
    title: 'Computer Vision',
    category: 'ai-ml',
    text: 'Train a detector or a classifier, or run one over an archive of pictures once and keep the result.',
    gpu: 'RTX 4090',
    count: 1,
    why: 'Vision models are small: memory is for the batch, and speed per dollar decides.',
    hasPage: true,
  },
  {
    title: 'NLP',
    category: 'ai-ml',
    text: 'Serve a language model behind an API of your own, embed a corpus, or label text in bulk.',
    gpu: 'A40',
    count: 1,
    why: '48 GB holds a 13-billion-parameter model in 16 bits with room for its cache.',
    hasPage: true,
  },
  {
    title: 'Scientific Simulation',
    category: 'research',
    text: 'Molecular dynamics, fluid flow, climate columns: codes that already run on CUDA, for the week before the deadline.',
    gpu: 'V100',
    count: 2,
    why: 'Codes in double precision run far better on V100 and A100 than on cards made for graphics.',
  },
  {
    title: 'Autonomous Driving',
    category: 'automotive',
    text: 'Replay recorded drives through a perception stack, and train on the frames where it was wrong.',
    gpu: 'A6000',
    count: 4,
    why: 'Many camera streams at once: memory per card first, then the count.',
  },
  {
    title: 'Risk Modelling',
    category: 'finance',
    text: 'Monte Carlo over a book of positions at the close of the day: an hour of work, then nothing until tomorrow.',
    gpu: 'L4',
    count: 2,
    why: 'Short, regular bursts. Billing by the second makes the idle 23 hours free.',
  },
  {
    title: 'Game Asset Generation',
    category: 'gaming',
    text: 'Textures, concept art and voices by the thousand, from models that you choose and keep.',
    gpu: 'RTX 3090',
    count: 1,
    why: 'Image models fit in 24 GB, and ComfyUI is among the templates.',
  },
  {
    title: 'Video Rendering',
    category: 'media',
    text: 'Render a sequence overnight on eight cards instead of over a week on one.',
    gpu: 'RTX 4090',
    count: 8,
    why: 'Frames do not depend on each other, so eight cards cost the same as one for an eighth of the time.',
  },
  {
    title: 'Recommendation',
    category: 'retail',
    text: 'Retrain the ranking of a shop each night on what was bought during the day.',
    gpu: 'T4',
    count: 1,
    why: 'The model is small and the run is short: the cheapest card that holds it.',
  },
  {
    title: 'Private Assistants',
    category: 'enterprise',
    text: 'A language model over internal documents, on a machine that is yours while it runs.',
    gpu: 'H100',
    count: 1,
    why: 'Many readers at once: throughput per card matters more than the price of the hour.',
  },
]

/** The hyphenated title; one page has a shorter address of its own. */
export function slugOfCase(title: string): string {
  const slug = slugOf(title)
  return slug === 'ai-model-training' ? 'ai-training' : slug
}

export const pathOfCase = (useCase: UseCase): string => `/use-cases/${slugOfCase(useCase.title)}`

/** What an hour of the suggested machine costs, from the catalogue. */
export const hourlyOfCase = (shown: Shown, { gpu, count }: UseCase): string =>
  formatUsd(hourlyOf(shown, gpu, count))

export const machineName = (shown: Shown, { gpu, count }: UseCase): string =>
  `${count} × ${gpu}, ${gpuNamed(shown, gpu).memory_gb * count} GB`
