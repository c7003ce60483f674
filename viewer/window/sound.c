/* A few voices of triangle waves, like the beeper of a robot but softer. */
#include "viewer/window/sound.h"

#include <SDL.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { VOICES = 4, RATE_HZ = 48000 };

struct voice {
    double hz, level;    /* target values; guarded by the lock of the device */
    double phase, swell; /* of the audio thread: 0 to 1; present level */
};

struct sound {
    SDL_AudioDeviceID device;
    struct voice voices[VOICES];
};

static double triangle(double phase)
{
    return fabs(4 * (phase - floor(phase + 0.5))) - 1;
}

/* Runs in a thread of SDL, which holds the lock of the device. */
static void fill(void *user, Uint8 *stream, int size)
{
    struct sound *sound = user;
    float *out = (float *)(void *)stream;
    for (int i = 0; i < size / (int)sizeof *out; i++) {
        double sum = 0;
        for (int v = 0; v < VOICES; v++) {
            struct voice *voice = &sound->voices[v];
            voice->swell += (voice->level - voice->swell) * 0.004; // gradually: no clicks
            voice->phase = fmod(voice->phase + voice->hz / RATE_HZ, 1);
            sum += triangle(voice->phase) * voice->swell;
        }
        out[i] = (float)(0.15 * sum); // chosen: not loud
    }
}

/* ALSA prints long messages on stderr if there is no sound card. Redirects stderr; returns a copy
 * of the original descriptor, or -1. */
static int hush(void)
{
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int nowhere = kept >= 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
    return kept;
}

static void unhush(int kept)
{
    if (kept < 0)
        return;
    dup2(kept, STDERR_FILENO);
    close(kept);
}

/* 0: there is no sound card. */
static SDL_AudioDeviceID open_device(const SDL_AudioSpec *wanted)
{
    int kept = hush();
    SDL_AudioDeviceID device = 0;
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) == 0) {
        device = SDL_OpenAudioDevice(NULL, 0, wanted, NULL, 0);
        if (device == 0)
            SDL_QuitSubSystem(SDL_INIT_AUDIO);
    }
    unhush(kept);
    return device;
}

struct sound *sound_open(void)
{
    struct sound *sound = calloc(1, sizeof *sound);
    const SDL_AudioSpec wanted = {.freq = RATE_HZ,
                                  .format = AUDIO_F32SYS,
                                  .channels = 1,
                                  .samples = 1024,
                                  .callback = fill,
                                  .userdata = sound};
    if (sound)
        sound->device = open_device(&wanted);
    if (sound && sound->device != 0)
        return sound;
    free(sound);
    return NULL;
}

void sound_close(struct sound *sound)
{
    if (!sound)
        return;
    SDL_CloseAudioDevice(sound->device);
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
    free(sound);
}

void sound_play(struct sound *sound, const struct snapshot *snapshot, bool is_muted)
{
    if (!sound)
        return;
    const struct snapshot_robot *robots = snapshot_at(snapshot, snapshot->robots);
    struct voice wanted[VOICES] = {{0}};
    int count = 0;
    bool is_silent = is_muted || snapshot->is_paused;
    for (size_t i = 0; !is_silent && i < snapshot->robots.count && count < VOICES; i++)
        if (robots[i].sound_level > 0 && robots[i].sound_hz > 0)
            wanted[count++] = (struct voice){.hz = (double)robots[i].sound_hz,
                                             .level = (double)robots[i].sound_level};
    bool is_heard = false;
    SDL_LockAudioDevice(sound->device);
    for (int v = 0; v < VOICES; v++) {
        if (wanted[v].hz > 0)
            sound->voices[v].hz = wanted[v].hz;
        sound->voices[v].level = wanted[v].level;
        is_heard = is_heard || wanted[v].level > 0 || sound->voices[v].swell > 0.001;
    }
    SDL_UnlockAudioDevice(sound->device);
    // The thread runs only while there is sound to play.
    SDL_PauseAudioDevice(sound->device, !is_heard);
}
