/** What an instance starts from. The eight built-in ones are data here; the server seeds them into `gpu_templates`. */
import * as z from 'zod/mini'
import { id, nothing, operation, timestamp } from './operation.ts'

export const templateCategories = [
  'Machine Learning',
  'AI Generation',
  'LLM',
  'Data Science',
  'Base OS',
] as const
export type TemplateCategory = (typeof templateCategories)[number]

/** `public`: everybody's, set by staff. `link`: whoever has its key sees it and may deploy it. */
export const templateVisibilities = ['private', 'link', 'public'] as const

export const template = z.object({
  id,
  name: z.string(),
  description: z.string(),
  category: z.enum(templateCategories),
  docker_image: z.string(),
  is_public: z.boolean(),
  visibility: z.enum(templateVisibilities),
  /** Public, made by a customer and reviewed by staff. */
  is_community: z.boolean(),
  features: z.array(z.string()),
  popular: z.boolean(),
  created_at: timestamp,
})
export type Template = z.infer<typeof template>

/** Of an account. */
export const maxTemplates = 100
export const templateLimits = {
  name: 80,
  description: 500,
  image: 300,
  /** Variables, and secrets, at most; letters of a value, and of all values together. */
  variables: 100,
  value: 8 * 1024,
  values: 32 * 1024,
  command: 8 * 1024,
  ports: 20,
  disk_gb: 1000,
  readme: 20_000,
  credential: 4 * 1024,
} as const

/** What the shell can name, and so can every image. */
const variableName = z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))
const value = z.string().check(z.maxLength(templateLimits.value))
/** Environment variables by name. */
export const variables = z.record(variableName, value)
const credential = z.string().check(z.minLength(1), z.maxLength(templateLimits.credential))
export const registryCredentials = z.object({ username: credential, password: credential })
/** Run by the machine's shell (`/bin/sh -c`) in place of what the image starts by itself. Null: that. */
export const startCommand = z.nullable(z.string().check(z.maxLength(templateLimits.command), z.regex(/\S/)))

/** What became of a proposal to make a template public. `replaced`: a later one was approved. */
export const reviewStatuses = ['pending', 'approved', 'replaced', 'rejected', 'withdrawn'] as const
export type ReviewStatus = (typeof reviewStatuses)[number]
export const templateReview = z.object({
  id,
  /** The first of a template is 1. */
  version: z.int(),
  status: z.enum(reviewStatuses),
  /** Why it was rejected. */
  reason: z.nullable(z.string()),
  proposed_at: timestamp,
  decided_at: z.nullable(timestamp),
})

/** All of one. Of secrets and credentials it says only which there are. */
export const templateDetails = z.extend(template, {
  is_mine: z.boolean(),
  env: z.record(z.string(), z.string()),
  secret_names: z.array(z.string()),
  has_registry_credentials: z.boolean(),
  ports: z.array(z.int()),
  start_command: startCommand,
  /** Data storage that it is meant to have; null: any. */
  disk_gb: z.nullable(z.int()),
  /** Markdown. */
  readme: z.string(),
  /** Of one that is shared by link, for its owner alone: the `key` of `getTemplate`, the `template_key` of a deploy. */
  share_key: z.nullable(z.string()),
  /** For its owner alone: the last proposal to make it public; null: there was none. */
  review: z.nullable(templateReview),
  /** For its owner alone: what was approved of it, which everybody sees under this id; null: nothing is public. */
  public_id: z.nullable(id),
})
export type TemplateDetails = z.infer<typeof templateDetails>

/** Shown for an instance whose template is gone. */
export const fallbackTemplateName = 'Custom Template'

type BuiltIn = Omit<Template, 'is_public' | 'visibility' | 'is_community' | 'created_at'>

const builtIn = (
  n: number,
  name: string,
  category: TemplateCategory,
  docker_image: string,
  popular: boolean,
  description: string,
  features: string[],
): BuiltIn => ({
  id: `01980000-0000-7000-8000-00000000000${n}`,
  name,
  description,
  category,
  docker_image,
  features,
  popular,
})

export const builtInTemplates: readonly BuiltIn[] = [
  builtIn(
    1,
    'PyTorch 2.0',
    'Machine Learning',
    'pytorch/pytorch:2.0.1-cuda11.7-cudnn8-devel',
    true,
    'PyTorch with CUDA and cuDNN for training and fine-tuning.',
    ['PyTorch 2.0', 'CUDA 11.7', 'cuDNN 8', 'Python 3.10'],
  ),
  builtIn(
    2,
    'TensorFlow 2.13',
    'Machine Learning',
    'tensorflow/tensorflow:2.13.0-gpu',
    false,
    'TensorFlow with GPU support and Keras.',
    ['TensorFlow 2.13', 'Keras', 'CUDA 11.8', 'TensorBoard'],
  ),
  builtIn(
    3,
    'Automatic1111 WebUI',
    'AI Generation',
    'universonic/stable-diffusion-webui:latest',
    true,
    'Stable Diffusion in the browser.',
    ['Stable Diffusion', 'Web interface', 'Extensions', 'ControlNet'],
  ),
  builtIn(
    4,
    'ComfyUI',
    'AI Generation',
    'yanwk/comfyui-boot:cu121',
    false,
    'Node-based image generation workflows.',
    ['Node editor', 'SDXL', 'Custom nodes', 'Workflow files'],
  ),
  builtIn(
    5,
    'Text Generation WebUI',
    'LLM',
    'atinoda/text-generation-webui:default-nvidia',
    false,
    'Run and chat with open language models.',
    ['Chat interface', 'LoRA', 'GGUF and GPTQ', 'OpenAI-compatible API'],
  ),
  builtIn(
    6,
    'vLLM Inference',
    'LLM',
    'vllm/vllm-openai:latest',
    true,
    'High-throughput serving of language models.',
    ['Paged attention', 'Continuous batching', 'OpenAI-compatible API', 'Tensor parallel'],
  ),
  builtIn(
    7,
    'JupyterLab Data Science',
    'Data Science',
    'jupyter/datascience-notebook:latest',
    false,
    'Notebooks with the usual data tools.',
    ['JupyterLab', 'pandas', 'scikit-learn', 'Python, R and Julia'],
  ),
  builtIn(
    8,
    'Ubuntu 22.04 + CUDA',
    'Base OS',
    'nvidia/cuda:12.2.0-devel-ubuntu22.04',
    false,
    'A clean system with the CUDA toolkit.',
    ['Ubuntu 22.04', 'CUDA 12.2', 'gcc and make', 'Nothing else'],
  ),
]

/** What a template is shared by, beside its id. */
export const shareKey = z.string().check(z.regex(/^[A-Za-z0-9_-]{32}$/))

const wish = {
  name: z.string().check(z.maxLength(templateLimits.name), z.regex(/\S/)),
  description: z.string().check(z.maxLength(templateLimits.description)),
  category: z.enum(templateCategories),
  /** As a registry names it: `registry.example.com/team/image:tag`. */
  docker_image: z
    .string()
    .check(z.maxLength(templateLimits.image), z.regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/)),
  env: variables,
  ports: z.array(z.int().check(z.minimum(1), z.maximum(65_535))).check(z.maxLength(templateLimits.ports)),
  start_command: startCommand,
  disk_gb: z.nullable(z.int().check(z.minimum(1), z.maximum(templateLimits.disk_gb))),
  readme: z.string().check(z.maxLength(templateLimits.readme)),
  visibility: z.enum(['private', 'link']),
}

export const templates = {
  list: operation({
    id: 'listTemplates',
    method: 'GET',
    path: '/v1/templates',
    who: 'public',
    actable: true,
    summary: 'The public templates, newest first',
    input: nothing,
    output: z.object({ items: z.array(template), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  mine: operation({
    id: 'listOwnTemplates',
    method: 'GET',
    path: '/v1/templates/mine',
    who: 'user',
    summary: 'Your own templates, newest first: all of them, there are never more than 100',
    input: nothing,
    output: z.object({ items: z.array(template), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
  get: operation({
    id: 'getTemplate',
    method: 'GET',
    path: '/v1/templates/{id}',
    who: 'user',
    summary: 'All of one template: a public one, your own, or one whose key you were given',
    input: z.object({ id, key: z.optional(shareKey) }),
    output: templateDetails,
    status: 200,
    errors: ['not_found'],
  }),
  create: operation({
    id: 'createTemplate',
    method: 'POST',
    path: '/v1/templates',
    who: 'user',
    summary: 'Make a template of your own. Secrets and credentials are sealed, and no call answers them',
    input: z.object({
      ...wish,
      description: z._default(wish.description, ''),
      env: z._default(wish.env, {}),
      secrets: z._default(variables, {}),
      registry_credentials: z._default(z.nullable(registryCredentials), null),
      ports: z._default(wish.ports, []),
      start_command: z._default(wish.start_command, null),
      disk_gb: z._default(wish.disk_gb, null),
      readme: z._default(wish.readme, ''),
      visibility: z._default(wish.visibility, 'private'),
    }),
    output: templateDetails,
    status: 201,
    errors: [],
  }),
  update: operation({
    id: 'updateTemplate',
    method: 'PATCH',
    path: '/v1/templates/{id}',
    who: 'user',
    summary:
      'Change a template of yours: what is left out stays. Instances that were made from it stay as they are',
    input: z.object({
      id,
      ...z.partial(z.object(wish)).shape,
      /** Each name that is given is set, or with null removed; the others stay. */
      secrets: z.optional(z.record(variableName, z.nullable(value))),
      registry_credentials: z.optional(z.nullable(registryCredentials)),
    }),
    output: templateDetails,
    status: 200,
    errors: ['not_found'],
  }),
  delete: operation({
    id: 'deleteTemplate',
    method: 'DELETE',
    path: '/v1/templates/{id}',
    who: 'user',
    summary: 'Delete a template of yours. Instances that were made from it run on, and start as before',
    input: z.object({ id }),
    output: nothing,
    status: 200,
    errors: ['not_found'],
  }),
}
