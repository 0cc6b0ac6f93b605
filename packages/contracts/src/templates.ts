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

export const template = z.object({
  id,
  name: z.string(),
  description: z.string(),
  category: z.enum(templateCategories),
  docker_image: z.string(),
  is_public: z.boolean(),
  features: z.array(z.string()),
  popular: z.boolean(),
  created_at: timestamp,
})
export type Template = z.infer<typeof template>

/** Shown for an instance whose template is gone. */
export const fallbackTemplateName = 'Custom Template'

type BuiltIn = Omit<Template, 'is_public' | 'created_at'>

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

export const templates = {
  list: operation({
    id: 'listTemplates',
    method: 'GET',
    path: '/v1/templates',
    who: 'public',
    summary: 'The public templates, newest first',
    input: nothing,
    output: z.object({ items: z.array(template), next_cursor: z.null() }),
    status: 200,
    errors: [],
  }),
}
